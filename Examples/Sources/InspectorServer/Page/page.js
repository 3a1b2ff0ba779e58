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

    // Traces. All text is set as text: keys and values are data.
    const shown = 200;
    const rows = document.getElementById("changes");
    let [start, last] = ["", 0];

    async function followTraces() {
        try {
            const list = await (await fetch(`traces.json?after=${last}`, { cache: "no-store" })).json();
            if (list.start !== start) {
                // The program was started again, and its changes are counted from one.
                const isBehind = last > 0;
                [start, last] = [list.start, 0];
                rows.replaceChildren();
                if (isBehind) return followTraces();
            }
            document.getElementById("traces").hidden = list.objects.length + list.changes.length === 0 && last === 0;
            document.getElementById("offers").replaceChildren(...list.objects.map(offer));
            for (const change of list.changes) {
                last = change.number;
                rows.prepend(row(change));
            }
            while (rows.children.length > shown) rows.lastChild.remove();
        } catch {
            // The status says that the program does not answer.
        }
        setTimeout(followTraces, 500);
    }

    function offer(object) {
        const [label, box] = [document.createElement("label"), document.createElement("input")];
        box.type = "checkbox";
        box.checked = object.isTraced;
        box.onchange = () => fetch(`trace?object=${object.address}&on=${box.checked}`, { method: "POST" });
        label.append(box, ` ${object.name} ${object.address} `);
        return label;
    }

    function row(change) {
        const calls = change.calls.map(
            (call) => `${call.keyPath} ${call.registeredAt} ${call.microseconds.toFixed(1)} µs`);
        const time = new Date(change.time * 1000).toISOString().slice(11, 23);
        const texts = [
            time, change.object, change.key, change.oldValue ?? "–", change.newValue ?? "–", calls.join("\n"),
        ];
        const row = document.createElement("tr");
        row.append(...texts.map((text) => {
            const cell = document.createElement("td");
            cell.textContent = text;
            return cell;
        }));
        return row;
    }

    followTraces();
}
