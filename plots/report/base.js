/* base.js - elements, numbers with units, the tooltip, saving files: what all parts of a report use.
 *
 * Texts of the data become text nodes and attributes, never HTML. */
"use strict";

/* The colours, dashes and points of plots/style.gp, which people with any colour vision tell apart. */
const STYLES = [
    { colour: "#0072b2", dash: "", point: "circle" },
    { colour: "#d55e00", dash: "8 3", point: "square" },
    { colour: "#009e73", dash: "3 3", point: "up" },
    { colour: "#cc79a7", dash: "8 3 2 3", point: "diamond" },
    { colour: "#56b4e9", dash: "8 3 2 3 2 3", point: "down" },
    { colour: "#e69f00", dash: "5 3", point: "square-open" },
    { colour: "#000000", dash: "2 4", point: "circle-open" },
    { colour: "#666666", dash: "5 2 2 2", point: "up-open" },
    { colour: "#882255", dash: "10 4", point: "diamond-open" },
    { colour: "#117733", dash: "4 2", point: "down-open" },
];
function styleOf(index) {
    return STYLES[((index % STYLES.length) + STYLES.length) % STYLES.length];
}

/* ---- Elements ---- */

/* el("p", {class: "pale"}, "text", child): functions among the attributes are listeners. */
function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name, value);
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined) continue;
        element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return element;
}
function el(tag, attributes, ...children) {
    return build(document.createElement(tag), attributes, children);
}
function svgEl(tag, attributes, ...children) {
    return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/* ---- Numbers ---- */

function isNumber(value) {
    return typeof value === "number" && Number.isFinite(value);
}
/* A number to so many digits, without zeros at its end. */
function digits(value, most) {
    if (!isNumber(value)) return "-";
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15))
        return value.toExponential(most - 1).replace(/\.?0+e/, "e");
    return String(Number(value.toPrecision(most)));
}
function formatCount(value) {
    if (!isNumber(value)) return "-";
    return Number.isInteger(value) && Math.abs(value) >= 10000 ? value.toLocaleString("en-US") : digits(value, 12);
}
/* 65536 -> "64 KiB", 40000000 -> "40 MB": as the program prints them. */
function formatBytes(value) {
    if (!isNumber(value)) return "-";
    const units = [["TiB", 2 ** 40], ["TB", 1e12], ["GiB", 2 ** 30], ["GB", 1e9], ["MiB", 2 ** 20], ["MB", 1e6], ["KiB", 1024], ["KB", 1000]];
    for (const [unit, size] of units)
        if (value !== 0 && value % size === 0 && value / size < 100000) return value / size + " " + unit;
    for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
        if (value >= size * 10 && !Number.isInteger(value)) return digits(value / size, 4) + " " + unit;
    return value >= 1e5 && !Number.isInteger(value) ? digits(value, 6) + " B" : formatCount(value) + " B";
}
const SECOND_UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
function secondsUnit(value) {
    const size = Math.abs(value);
    return SECOND_UNITS.find(([, unit]) => size >= unit * 0.9999999) || SECOND_UNITS[3];
}
function formatSeconds(value, most = 6) {
    if (!isNumber(value)) return "-";
    if (value === 0) return "0 s";
    const [name, unit] = secondsUnit(value);
    return digits(value / unit, most) + " " + name;
}
function formatPercent(share) {
    return isNumber(share) ? digits(100 * share, 4) + " %" : "-";
}
function formatRate(value) {
    if (!isNumber(value)) return "-";
    for (const [unit, size] of [["TB/s", 1e12], ["GB/s", 1e9], ["MB/s", 1e6], ["kB/s", 1e3]])
        if (value >= size) return digits(value / size, 6) + " " + unit;
    return digits(value, 6) + " B/s";
}
function formatOf(kind) {
    switch (kind) {
    case "bytes": return formatBytes;
    case "seconds": return (value) => formatSeconds(value, 6);
    case "share": return formatPercent;
    case "ratio": return (value) => digits(value, 6);
    case "rate": return formatRate;
    case "count":
    case "whole": return formatCount;
    default: return (value) => digits(value, 9);
    }
}

/* A number that someone typed, with a unit or none: "64KiB", "1.5ms", "10 %". NaN: it is none. */
function parseNumber(text) {
    const match = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([a-zµ%]*)\s*$/i.exec(text);
    if (match === null) return NaN;
    const units = {
        "": 1, b: 1, kib: 1024, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, k: 1e3, ki: 1024,
        s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, ns: 1e-9, "%": 0.01,
    };
    const unit = units[match[2].toLowerCase()];
    return unit === undefined ? NaN : Number(match[1]) * unit;
}

function unique(values) {
    return [...new Set(values)];
}
function ascending(values) {
    return unique(values).sort((a, b) => a - b);
}
/* So many of the values, spread evenly, with the first and the last. */
function thin(values, most) {
    if (values.length <= most) return values;
    return Array.from({ length: most }, (_, i) => values[Math.floor((i * (values.length - 1)) / (most - 1))]);
}

/* ---- Tooltip ---- */

const tip = document.getElementById("tip");
/* lines: [name, value] pairs. The place is in the window. */
function showTip(title, lines, x, y) {
    tip.replaceChildren(el("b", {}, title), el("dl", {}, lines.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
    const top = y + 14 + box.height > innerHeight ? y - 14 - box.height : y + 14;
    tip.style.left = Math.max(2, left) + "px";
    tip.style.top = Math.max(2, top) + "px";
}
function hideTip() {
    tip.hidden = true;
}
/* For screen readers. */
function say(text) {
    document.getElementById("said").textContent = text;
}

/* ---- Saving ---- */

function save(name, type, content) {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}
function csvField(value) {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
function toCsv(names, rows) {
    return [names, ...rows].map((row) => row.map(csvField).join(",") + "\n").join("");
}
/* A name for a file: letters, digits and dashes. */
function fileName(text) {
    return text.replace(/[^a-zA-Z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase().slice(0, 80) || "figure";
}

/* ---- Sections and controls ---- */

/* A part that fails says so in its place; the other parts stay. */
function attempt(parent, what, make) {
    try {
        const made = make();
        if (made) parent.append(made);
    } catch (problem) {
        parent.append(el("p", { class: "note" }, `${what} can't be shown: the data are not as this page expects (${problem.message}).`));
    }
}
function section(id, title, make) {
    const parent = el("section", { id, "aria-labelledby": id + "-title" }, el("h2", { id: id + "-title" }, title));
    document.getElementById("main").append(parent);
    document.querySelector("#nav > div").append(el("a", { href: "#" + id }, title));
    attempt(parent, title, () => make(parent));
}
function tile(value, name) {
    return el("div", { class: "tile" }, el("b", {}, value), el("span", {}, name));
}
function facts(pairs) {
    return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}
function note(text) {
    return el("p", { class: "note" }, text);
}
/* The sentences of a verdict as a paragraph; older files have none. */
function verdictOf(sentences) {
    return sentences && sentences.length > 0 ? el("p", {}, el("b", {}, "Verdict: "), sentences.join(" ")) : null;
}

/* A slider over a list of values; changed(value) is called when it moves. */
function slider(label, values, index, format, changed) {
    const shown = el("output", {}, format(values[index]));
    const input = el("input", {
        type: "range", min: 0, max: Math.max(0, values.length - 1), step: 1, value: index, "aria-label": label,
        "aria-valuetext": format(values[index]), disabled: values.length < 2,
        input: () => {
            const value = values[Number(input.value)];
            shown.textContent = format(value);
            input.setAttribute("aria-valuetext", format(value));
            changed(value);
        },
    });
    return el("label", {}, label, input, shown);
}
function choice(label, options, chosen, changed) {
    const input = el("select", { "aria-label": label, change: () => changed(options[input.selectedIndex].value) },
        options.map((option) => el("option", { selected: option.value === chosen }, option.text)));
    return el("label", {}, label, input);
}
function checkbox(label, on, changed) {
    const input = el("input", { type: "checkbox", change: () => changed(input.checked) });
    input.checked = on;
    return el("label", {}, input, label);
}
