/* table.js - tables that sort and filter. */
"use strict";

const PAGE_ROWS = 150;
const FEW_ROWS = 10; /* tables that need no filters */

/* A test of a cell by what was typed: of numbers ">=64", "16..256", "64KiB", "<2 %"; of texts a part
 * of them. null: it is no filter that this column understands. */
function cellTest(typed, numeric) {
    const wanted = typed.trim();
    if (wanted === "") return () => true;
    if (wanted === "-") return (value) => value === null || value === undefined;
    if (numeric) {
        const range = /^(.+?)\.\.(.+)$/.exec(wanted);
        if (range !== null) {
            const [low, high] = [parseNumber(range[1]), parseNumber(range[2])];
            return Number.isNaN(low) || Number.isNaN(high) ? null : (value) => isNumber(value) && value >= low && value <= high;
        }
        const [, sign, rest] = /^(<=|>=|<|>|!=|=)?(.*)$/.exec(wanted);
        const number = parseNumber(rest);
        if (Number.isNaN(number)) return null;
        const near = (value) => Math.abs(value - number) <= 1e-9 * Math.abs(number);
        switch (sign) {
        case "<": return (value) => isNumber(value) && value < number;
        case "<=": return (value) => isNumber(value) && value <= number;
        case ">": return (value) => isNumber(value) && value > number;
        case ">=": return (value) => isNumber(value) && value >= number;
        case "!=": return (value) => isNumber(value) && !near(value);
        default: return (value) => isNumber(value) && near(value);
        }
    }
    const part = wanted.toLowerCase();
    if (part.startsWith("=")) return (value) => String(value ?? "").toLowerCase() === part.slice(1);
    if (part.startsWith("!")) return (value) => !String(value ?? "").toLowerCase().includes(part.slice(1));
    return (value) => String(value ?? "").toLowerCase().includes(part);
}

/* options: {name, columns: [{name, heading, kind, long}], count, cell(row, column)}. Kinds are those of
 * the program's tables: word, count, whole, truth, bytes, real, seconds, ratio, share, percent, rate. */
function dataTable(options) {
    const { columns, count, cell } = options;
    const words = new Set(["word", "truth"]);
    const numeric = columns.map((column) => !words.has(column.kind));
    const formats = columns.map((column) => (column.kind === "truth" ? (value) => (value === null ? "-" : value ? "yes" : "no")
        : column.kind === "word" ? (value) => (value === null || value === undefined || value === "" ? "-" : String(value))
            : formatOf(column.kind === "percent" ? "share" : column.kind)));
    let order = Array.from({ length: count }, (_, i) => i);
    let sorted = { column: -1, up: true };
    let limit = PAGE_ROWS;
    const body = el("tbody", {});
    const said = el("span", { class: "pale small count", "aria-live": "polite" });
    const more = el("button", { type: "button", click: () => { limit += 10 * PAGE_ROWS; fill(); } }, "Show more rows");
    const inputs = columns.map((column, i) => el("input", {
        type: "text", "aria-label": `Filter ${column.heading}`, placeholder: numeric[i] ? "=, >, a..b" : "contains",
        title: numeric[i] ? "64, >=64, <1ms, 16..256; - finds rows without a value" : "a part of the text; =text for all of it, !text for rows without it",
        input: () => { limit = PAGE_ROWS; choose(); },
    }));
    const heads = columns.map((column, i) => el("th", { scope: "col", class: numeric[i] ? null : "word", "aria-sort": "none" },
        count > FEW_ROWS ? inputs[i] : null, el("button", { type: "button", title: column.name, click: () => sort(i) }, column.heading)));
    const value = (row, i) => {
        const found = cell(row, i);
        return found === undefined ? null : found;
    };
    const fill = () => {
        body.replaceChildren(...order.slice(0, limit).map((row) => el("tr", {}, columns.map((column, i) => el("td", {
            class: (numeric[i] ? "" : "word") + (column.long ? " long" : "") || null,
            title: column.kind === "seconds" && isNumber(value(row, i)) ? value(row, i) + " s" : null,
        }, formats[i](value(row, i)))))));
        said.textContent = `${formatCount(order.length)} of ${formatCount(count)} rows` + (order.length > limit ? `, the first ${limit} shown` : "");
        more.hidden = order.length <= limit;
    };
    const arrange = () => {
        if (sorted.column >= 0) {
            const i = sorted.column;
            const sign = sorted.up ? 1 : -1;
            order.sort((a, b) => {
                const [left, right] = [value(a, i), value(b, i)];
                if (left === null || right === null) return (left === null) - (right === null) || a - b;
                const by = numeric[i] ? left - right : String(left).localeCompare(String(right), "en", { numeric: true });
                return sign * by || a - b;
            });
        }
        heads.forEach((head, i) => {
            const here = i === sorted.column;
            head.setAttribute("aria-sort", here ? (sorted.up ? "ascending" : "descending") : "none");
            head.lastChild.textContent = columns[i].heading + (here ? (sorted.up ? " ▲" : " ▼") : "");
        });
        fill();
    };
    const choose = () => {
        const tests = inputs.map((input, i) => {
            const test = cellTest(input.value, numeric[i]);
            input.setAttribute("aria-invalid", test === null);
            return test;
        });
        order = [];
        for (let row = 0; row < count; row++)
            if (tests.every((test, i) => test === null || test(value(row, i)))) order.push(row);
        arrange();
    };
    const sort = (i) => {
        sorted = sorted.column !== i ? { column: i, up: true } : sorted.up ? { column: i, up: false } : { column: -1, up: true };
        choose();
    };
    const saveRows = () => save(fileName(options.name) + ".csv", "text/csv",
        toCsv(columns.map((column) => column.name), order.map((row) => columns.map((_, i) => value(row, i)))));
    fill();
    return el("div", { class: "table" }, count <= FEW_ROWS ? null : el("div", { class: "controls" }, said,
        el("button", { type: "button", click: () => { inputs.forEach((input) => { input.value = ""; }); sorted = { column: -1, up: true }; choose(); } }, "Clear filters"),
        el("button", { type: "button", click: saveRows }, "Save these rows as CSV")),
    el("div", { class: "rows", tabindex: 0, role: "region", "aria-label": options.name },
        el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), more);
}

/* A table that is made when it is opened. */
function folded(title, make, open) {
    const parent = el("details", { open }, el("summary", {}, title));
    const show = () => {
        if (parent.open && parent.childElementCount === 1) attempt(parent, title, make);
    };
    parent.addEventListener("toggle", show);
    show();
    return parent;
}
