"use strict";
// What is here of the board follows the server's: a whole board at first and after a gap, then each change. Nothing is drawn because it
// was clicked, so that the page never shows what the server has not kept.
{
    let board = null, revision = 0;
    const $ = id => document.getElementById(id);

    // ---- What the server says ----

    const events = new EventSource("events");
    events.addEventListener("open", () => state("live", false));
    events.addEventListener("error", () => state("the server does not answer", true));
    events.addEventListener("snapshot", event => {
        ({ board, revision } = JSON.parse(event.data));
        draw();
    });
    events.addEventListener("turn", event => {
        const turn = JSON.parse(event.data);
        for (const { object, change } of turn.changes) apply(change, find(object));
        revision = turn.revision;
        draw();
    });

    function find(name) {
        if (name === "board") return board;
        const [kind, id] = name.split("/");
        const all = kind === "lists" ? board.lists : board.lists.flatMap(list => list.tasks);
        return all.find(object => object.id === Number(id));
    }

    // Does to an object what a ChangeRecord says. Kinds: 1 set as a whole, 2 inserted, 3 removed, 4 replaced; indexes are ranges.
    function apply({ keyPath, kind, newValue, indexes }, object) {
        if (!object) return;
        if (kind === 1) return void (object[keyPath] = newValue ?? null);
        const array = object[keyPath], come = [...(newValue ?? [])];
        const ranges = kind === 3 ? [...indexes].reverse() : indexes;
        for (const [from, to] of ranges) {
            const count = to - from;
            array.splice(from, kind === 2 ? 0 : count, ...(kind === 3 ? [] : come.splice(0, count)));
        }
    }

    // ---- What the user asks for ----

    async function ask(method, path, values) {
        try {
            const response = await fetch(path, {
                method, headers: values ? { "Content-Type": "application/json" } : {},
                body: values ? JSON.stringify(values) : undefined
            });
            const answer = await response.json();
            problem(response.ok ? null : answer.errors.join("\n"));
            if (!response.ok) draw();
            return response.ok;
        } catch {
            problem("The server does not answer. Nothing was changed.");
            return false;
        }
    }

    function problem(text) {
        $("problem").hidden = !text;
        $("problem").textContent = text ?? "";
    }

    function state(text, isAway) {
        $("state").textContent = text;
        document.body.classList.toggle("away", isAway);
    }

    $("new-list").addEventListener("submit", async event => {
        event.preventDefault();
        if (await ask("POST", "lists", { title: $("new-list-title").value })) $("new-list-title").value = "";
    });

    // ---- Drawing: elements stay while their object does, so that the caret stays where it is ----

    function draw() {
        $("summary").textContent = `${board.left} left, today is ${board.today}`;
        document.body.dataset.revision = revision;
        arrange($("lists"), board.lists, makeList, drawList);
    }

    function arrange(parent, objects, make, show) {
        const old = new Map([...parent.children].map(element => [Number(element.dataset.id), element]));
        objects.forEach((object, place) => {
            const element = old.get(object.id) ?? make(object);
            element.dataset.id = object.id;
            old.delete(object.id);
            if (parent.children[place] !== element) parent.insertBefore(element, parent.children[place] ?? null);
            show(element, object);
        });
        for (const element of old.values()) element.remove();
    }

    function element(name, properties = {}, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    // A field in which somebody writes is left alone until it is left.
    function show(field, value) {
        if (document.activeElement !== field || !field.classList.contains("edited")) field.value = value;
    }

    function field(className, label, change) {
        const input = element("input", { className, ariaLabel: label, autocomplete: "off" });
        input.addEventListener("input", () => input.classList.add("edited"));
        input.addEventListener("change", () => { input.classList.remove("edited"); change(input.value); });
        input.addEventListener("keydown", event => { if (event.key === "Enter") input.blur(); });
        return input;
    }

    function makeList({ id }) {
        const add = element("form", {}, element("input", { className: "new-task", placeholder: "Another task", ariaLabel: "Title of a new task", autocomplete: "off" }));
        add.addEventListener("submit", async event => {
            event.preventDefault();
            const input = add.querySelector("input");
            if (await ask("POST", `lists/${id}/tasks`, { title: input.value })) input.value = "";
        });
        return element("section", {},
            element("header", {},
                field("title", "Title of the list", title => ask("PATCH", `lists/${id}`, { title })),
                element("p", { className: "counts" }),
                element("button", { textContent: "✕", title: "Remove the list", onclick: () => ask("DELETE", `lists/${id}`) })),
            element("ul"), add);
    }

    function drawList(section, list) {
        show(section.querySelector(".title"), list.title);
        section.querySelector(".counts").replaceChildren(`${list.left} left`,
            ...(list.late ? [", ", element("span", { className: "late", textContent: `${list.late} late` })] : []));
        const sorted = [...list.tasks].sort((a, b) => a.order - b.order || a.id - b.id);
        arrange(section.querySelector("ul"), sorted, task => makeTask(task, list.id), drawTask);
    }

    function makeTask({ id }, listID) {
        const done = element("input", { type: "checkbox", ariaLabel: "Done" });
        done.addEventListener("click", event => {
            event.preventDefault();
            ask("PATCH", `tasks/${id}`, { isDone: !find(`tasks/${id}`).isDone });
        });
        return element("li", {}, done,
            field("title", "Title", title => ask("PATCH", `tasks/${id}`, { title })),
            field("due", "Due", due => ask("PATCH", `tasks/${id}`, { due: due || null })),
            element("button", { textContent: "↑", title: "Move up", onclick: () => moveUp(id, listID) }),
            element("button", { textContent: "✕", title: "Remove the task", onclick: () => ask("DELETE", `tasks/${id}`) }));
    }

    function drawTask(item, task) {
        // After the click that was not taken has ended, the box is as it was before it.
        setTimeout(() => { item.querySelector("[type=checkbox]").checked = task.isDone; });
        show(item.querySelector(".title"), task.title);
        const due = item.querySelector(".due");
        show(due, task.due ?? "");
        due.placeholder = "no day";
        item.className = (task.isDone ? "done " : "") + (!task.isDone && task.due && task.due < board.today ? "late" : "");
    }

    // Between the two above it: one property of one task.
    function moveUp(id, listID) {
        const sorted = [...find(`lists/${listID}`).tasks].sort((a, b) => a.order - b.order || a.id - b.id);
        const place = sorted.findIndex(task => task.id === id);
        if (place < 1) return;
        const above = sorted[place - 1].order, beyond = place > 1 ? sorted[place - 2].order : above - 2;
        ask("PATCH", `tasks/${id}`, { order: (above + beyond) / 2 });
    }
}
