"use strict";
// In a block, since a window has a `status` already.
{
    const status = document.getElementById("status");
    let refreshes = 0;

    async function refresh() {
        try {
            const response = await fetch("content", { cache: "no-store" });
            if (!response.ok) throw new Error(response.statusText);
            document.getElementById("content").innerHTML = await response.text();
            document.body.dataset.refreshes = ++refreshes;
            document.body.classList.remove("ended");
            status.textContent = "● refreshed every second";
        } catch {
            document.body.classList.add("ended");
            status.textContent = "● the program does not answer";
        }
        setTimeout(refresh, 1000);
    }

    setTimeout(refresh, 1000);
}
