/* chart.js - figures as SVG: lines and points, heat maps, bars. Each has values under the pointer and
 * by the arrow keys, series that can be switched off, and can be saved as SVG and its data as CSV.
 *
 * Looks are attributes rather than styles, so that a saved SVG looks the same. */
"use strict";

const FONT = "system-ui, 'DejaVu Sans', Arial, sans-serif";
/* A figure is scaled to its place: on a narrow screen it has fewer units, so that letters keep their size, and its key
 * is below the axes. */
const NARROW = innerWidth < 600;
const WIDTH = NARROW ? 440 : 680;
const KEY = NARROW ? 20 : 178; /* the width at the right that a key takes */
const WIDE = NARROW ? WIDTH : 1240;
const SUBTITLE = NARROW ? 46 : 76; /* letters */
const LABEL = NARROW ? 16 : 34; /* letters of a bar's name */

function text(x, y, string, more) {
    return svgEl("text", { x, y, "font-size": 13, "font-family": FONT, fill: "#222222", ...more }, string);
}
function clip(string, most) {
    return string.length > most ? string.slice(0, most - 1) + "…" : string;
}

/* Of a long name both ends: those of links differ at their ends. */
function clipMiddle(string, most) {
    return string.length > most ? string.slice(0, Math.floor(most / 3)) + "…" + string.slice(string.length - most + Math.floor(most / 3) + 1) : string;
}

/* ---- A figure: its frame, its controls, and an SVG that is drawn anew when these change ---- */

/* options: {title, name, caption, controls, wide, axes: {x, y}: true for a choice of linear or log,
 * draw(state) -> {svg, targets, csv} or a text that says why there is nothing}. Without targets, the
 * SVG shows its values itself. */
function figure(options) {
    const state = { off: new Set(), log: { x: true, y: true, ...(options.log || {}) } };
    const sheet = el("div", { class: "sheet" });
    const caption = el("figcaption", {}, options.caption || "");
    const controls = el("div", { class: "controls" }, options.controls || []);
    let drawn = null;
    const redraw = () => {
        hideTip();
        drawn = options.draw(state, redraw);
        if (typeof drawn === "string") {
            sheet.replaceChildren(el("p", { class: "none" }, drawn));
            drawn = null;
            return;
        }
        const focused = document.activeElement && sheet.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
        sheet.replaceChildren(drawn.svg);
        if (drawn.targets) pointAt(drawn.svg, drawn.targets);
        if (drawn.caption !== undefined) caption.textContent = drawn.caption;
        if (focused !== undefined) [...sheet.querySelectorAll("[data-key]")].find((item) => item.dataset.key === focused)?.focus();
    };
    for (const axis of ["x", "y"])
        if (options.axes && options.axes[axis])
            controls.append(checkbox(`log ${options.axes[axis]}`, state.log[axis], (on) => {
                state.log[axis] = on;
                redraw();
            }));
    const name = () => fileName(options.name + (drawn && drawn.part ? "-" + drawn.part : ""));
    const frame = el("figure", { class: options.wide ? "wide" : null },
        el("div", { class: "top" }, el("h3", {}, options.title), el("span", {},
            el("button", { type: "button", class: "save-svg", click: () => drawn && save(name() + ".svg", "image/svg+xml", svgText(drawn.svg)) }, "Save SVG"),
            el("button", { type: "button", class: "save-csv", click: () => drawn && save(name() + ".csv", "text/csv", toCsv(drawn.csv[0], drawn.csv.slice(1))) }, "Save data"))),
        controls, sheet, caption);
    redraw();
    frame.redraw = redraw;
    return frame;
}

/* The SVG as a file of its own: without what shows the pointer. */
function svgText(svg) {
    const copy = svg.cloneNode(true);
    copy.querySelectorAll(".pointer").forEach((item) => item.remove());
    copy.querySelectorAll("[tabindex]").forEach((item) => item.removeAttribute("tabindex"));
    copy.removeAttribute("tabindex");
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", copy.viewBox.baseVal.width || WIDTH);
    copy.setAttribute("height", copy.viewBox.baseVal.height);
    copy.insertBefore(svgEl("rect", { width: "100%", height: "100%", fill: "#ffffff" }), copy.firstChild);
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy);
}

/* targets: {x, y, title, lines, group}; rectangles also have width and height, around x and y. The
 * list, and lines, may be functions, which are called when someone looks. */
function pointAt(svg, list) {
    let targets = null;
    const look = () => {
        targets = targets || (typeof list === "function" ? list() : list);
    };
    const linesOf = (target) => (typeof target.lines === "function" ? target.lines() : target.lines);
    const ring = svgEl("g", { class: "pointer", "pointer-events": "none" });
    svg.append(ring);
    let current = -1;
    const place = (target) => {
        const box = svg.getBoundingClientRect();
        return [box.left + (target.x / svg.viewBox.baseVal.width) * box.width, box.top + (target.y / svg.viewBox.baseVal.height) * box.height];
    };
    const show = (i, x, y) => {
        current = i;
        const target = targets[i];
        ring.replaceChildren(target.width === undefined
            ? svgEl("circle", { cx: target.x, cy: target.y, r: 7, fill: "none", stroke: "#000000", "stroke-width": 1.5 })
            : svgEl("rect", { x: target.x - target.width / 2, y: target.y - target.height / 2, width: target.width, height: target.height, fill: "none", stroke: "#000000", "stroke-width": 2 }));
        showTip(target.title, linesOf(target), x, y);
    };
    const hide = () => {
        current = -1;
        ring.replaceChildren();
        hideTip();
    };
    svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const scale = svg.viewBox.baseVal.width / box.width;
        const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        look();
        let best = -1;
        let nearest = 45 * 45;
        targets.forEach((target, i) => {
            const dx = Math.max(0, Math.abs(target.x - x) - (target.width || 0) / 2);
            const dy = Math.max(0, Math.abs(target.y - y) - (target.height || 0) / 2);
            const distance = target.width === undefined ? dx * dx + dy * dy : dx + dy > 0 ? Infinity : 0;
            if (distance < nearest) [best, nearest] = [i, distance];
        });
        if (best < 0) hide();
        else show(best, event.clientX, event.clientY);
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
        look();
        if (event.target !== svg || targets.length === 0) return;
        if (event.key === "Escape") return hide();
        const groups = unique(targets.map((target) => target.group));
        const here = targets[Math.max(0, current)];
        const own = targets.map((target, i) => i).filter((i) => targets[i].group === here.group);
        let next = current < 0 ? 0 : -1;
        if (current >= 0 && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
            const at = own.indexOf(current) + (event.key === "ArrowRight" ? 1 : -1);
            next = own[Math.min(Math.max(at, 0), own.length - 1)];
        } else if (current >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
            const at = groups.indexOf(here.group) + (event.key === "ArrowDown" ? 1 : -1);
            const group = groups[(at + groups.length) % groups.length];
            next = targets.reduce((best, target, i) => (target.group === group &&
                (best < 0 || Math.abs(target.x - here.x) < Math.abs(targets[best].x - here.x)) ? i : best), -1);
        } else if (!event.key.startsWith("Arrow")) return;
        event.preventDefault();
        show(next, ...place(targets[next]));
        say(targets[next].title + ": " + linesOf(targets[next]).map(([key, value]) => key + " " + value).join(", "));
    });
}

function frameSvg(height, title, width = WIDTH) {
    return svgEl("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": title + ". Arrow keys show the values.", tabindex: 0 });
}

/* Where the key of so many lines begins, its letters per line, and the height of the figure with it. */
function keyPlace(area, lines) {
    return NARROW ? { x: 4, y: area.bottom + 54, letters: 52, height: area.bottom + 60 + 21 * lines }
        : { x: area.right, y: area.top, letters: 18, height: Math.max(area.bottom + 54, area.top + 30 + 21 * lines) };
}

/* ---- Axes ---- */

function drawAxes(svg, x, y, area) {
    const grid = svgEl("g", { stroke: "#dddddd", "stroke-width": 1 });
    const labels = svgEl("g", {});
    for (const tick of ticksOf(x, 52)) {
        grid.append(svgEl("line", { x1: x(tick.value), x2: x(tick.value), y1: area.top, y2: area.bottom }));
        labels.append(text(x(tick.value), area.bottom + 18, tick.text, { "text-anchor": "middle" }));
    }
    for (const tick of ticksOf(y, 28)) {
        grid.append(svgEl("line", { x1: area.left, x2: area.right, y1: y(tick.value), y2: y(tick.value) }));
        labels.append(text(area.left - 8, y(tick.value) + 4.5, tick.text, { "text-anchor": "end" }));
    }
    svg.append(grid, labels,
        svgEl("path", { d: `M${area.left} ${area.top}V${area.bottom}H${area.right}`, fill: "none", stroke: "#444444" }),
        text((area.left + area.right) / 2, area.bottom + 40, x.label, { "text-anchor": "middle" }),
        text(0, 0, y.label, { "text-anchor": "middle", transform: `translate(18 ${(area.top + area.bottom) / 2}) rotate(-90)` }));
}

function drawPoint(style, x, y, size = 4) {
    const open = style.point.endsWith("-open");
    const shape = style.point.replace("-open", "");
    const look = { fill: open ? "#ffffff" : style.colour, stroke: style.colour, "stroke-width": 1.4 };
    const s = size;
    if (shape === "circle") return svgEl("circle", { cx: x, cy: y, r: s, ...look });
    const d = { square: `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`, up: `M${x} ${y - s * 1.2}l${s * 1.2} ${2.1 * s}h${-2.4 * s}z`,
        down: `M${x} ${y + s * 1.2}l${s * 1.2} ${-2.1 * s}h${-2.4 * s}z`, diamond: `M${x} ${y - 1.3 * s}l${1.3 * s} ${1.3 * s}l${-1.3 * s} ${1.3 * s}l${-1.3 * s} ${-1.3 * s}z` }[shape];
    return svgEl("path", { d, ...look });
}

/* ---- Lines ---- */

/* chart: {title, subtitle, x, y: axes, series: [{name, style, points: [{x, y, low, high, best, lines}],
 * grey, dashed, plain (no points), quiet (not in the key)}]}. Series in state.off are not drawn. */
function lineChart(chart, state, redraw) {
    const keyed = chart.series.filter((series) => !series.quiet);
    const width = chart.width || WIDTH;
    const area = { left: 78, right: width - KEY, top: 40, bottom: Math.max(340, NARROW ? 0 : 66 + 21 * keyed.length) };
    const key = keyPlace(area, keyed.length);
    const shown = chart.series.filter((series) => !state.off.has(series.name));
    const all = (shown.length > 0 ? shown : chart.series).flatMap((series) => series.points);
    const x = makeScale(chart.x, all.map((point) => point.x), area.left, area.right);
    const y = makeScale(chart.y, all.flatMap((point) => [point.y, point.low, point.high]), area.bottom, area.top);
    const svg = frameSvg(key.height, `${chart.title}, ${chart.subtitle}`, width);
    const targets = [];
    svg.append(text(area.left, 22, clip(chart.subtitle, SUBTITLE), { fill: "#666666" }));
    drawAxes(svg, x, y, area);
    for (const series of shown) {
        const style = series.grey ? { ...STYLES[7], colour: series.grey, dash: "" } : styleOf(series.style);
        const points = series.points.filter((point) => isNumber(point.y) && isNumber(point.x) && !(chart.x.log && point.x <= 0) && !(chart.y.log && point.y <= 0));
        const line = svgEl("g", {});
        line.append(svgEl("path", {
            d: points.map((point, i) => (i === 0 ? "M" : "L") + x(point.x).toFixed(2) + " " + y(point.y).toFixed(2)).join(""),
            fill: "none", stroke: style.colour, "stroke-width": series.grey ? 1.2 : 2, "stroke-dasharray": series.dashed || style.dash || null, "stroke-linejoin": "round",
        }));
        for (const point of points) {
            const [px, py] = [x(point.x), y(point.y)];
            if (isNumber(point.low) && isNumber(point.high) && point.high > point.low)
                line.append(svgEl("path", { d: `M${px} ${y(point.low)}V${y(point.high)}M${px - 4} ${y(point.low)}h8M${px - 4} ${y(point.high)}h8`, stroke: style.colour, fill: "none" }));
            if (!series.plain) line.append(drawPoint(style, px, py, series.grey ? 2 : 3.6));
            if (point.best) line.append(svgEl("circle", { cx: px, cy: py, r: 7.5, fill: "none", stroke: style.colour, "stroke-width": 1.6 }));
            targets.push({ x: px, y: py, title: point.title || series.name, lines: point.lines, group: series.name });
        }
        svg.append(line);
    }
    drawKey(svg, keyed, state, redraw, key);
    return { svg, targets, csv: chart.csv, caption: chart.caption, part: chart.part };
}

/* A line of the key is a button that switches its series. */
function drawKey(svg, keyed, state, redraw, at) {
    keyed.forEach((series, i) => {
        const style = series.grey ? { ...STYLES[7], colour: series.grey, dash: "" } : styleOf(series.style);
        const y = at.y + 14 + 21 * i;
        const on = !state.off.has(series.name);
        const turn = () => {
            if (on) state.off.add(series.name);
            else state.off.delete(series.name);
            redraw();
        };
        const key = svgEl("g", {
            role: "button", tabindex: 0, "aria-pressed": on, "data-key": series.name, opacity: on ? 1 : 0.35, click: turn,
            keydown: (event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                event.stopPropagation();
                turn();
            },
        }, svgEl("title", {}, `${series.name}: click to ${on ? "hide" : "show"}`),
        svgEl("rect", { x: at.x + 10, y: y - 12, width: 32 + 8 * at.letters, height: 20, fill: "#ffffff", "fill-opacity": 0 }),
        svgEl("path", { d: `M${at.x + 14} ${y - 2}h30`, stroke: style.colour, "stroke-width": 2, "stroke-dasharray": series.dashed || style.dash || null }));
        if (!series.plain) key.append(drawPoint(style, at.x + 29, y - 2, 3.6));
        key.append(text(at.x + 50, y + 2.5, clip(series.name, at.letters), on ? {} : { "text-decoration": "line-through" }));
        svg.append(key);
    });
}

/* ---- Heat maps ---- */

/* chart: {title, subtitle, x: axis, rows: [{label, cells: [{from, to, share (of the colours), best,
 * title, lines}]}], yLabel, colours, bar: {label, ticks: [{share, text}]}}. Row 0 is at the bottom. */
function heatMap(chart) {
    const most = 560;
    const step = Math.min(34, Math.max(7, most / chart.rows.length));
    const area = { left: 86, right: WIDTH - 120, top: 40, bottom: 40 + Math.max(160, step * chart.rows.length) };
    const row = (area.bottom - area.top) / chart.rows.length;
    const svg = frameSvg(area.bottom + 54, `${chart.title}, ${chart.subtitle}`);
    const x = makeScale(chart.x, chart.rows.flatMap((line) => line.cells.flatMap((cell) => [cell.from, cell.to])), area.left, area.right);
    const targets = [];
    svg.append(text(area.left, 22, clip(chart.subtitle, SUBTITLE), { fill: "#666666" }));
    const rings = svgEl("g", {}); /* over all cells */
    chart.rows.forEach((line, i) => {
        const top = area.bottom - (i + 1) * row;
        for (const cell of line.cells) {
            const [from, to] = [x(cell.from), x(cell.to)];
            svg.append(svgEl("rect", { x: from, y: top, width: Math.max(0.5, to - from), height: row, fill: mix(chart.colours, cell.share), stroke: "#ffffff", "stroke-width": row > 12 && to - from > 5 ? 0.8 : 0 }));
            if (cell.best) rings.append(svgEl("circle", { cx: x(cell.at), cy: top + row / 2, r: Math.min(5, row / 3), fill: "none", stroke: "#000000", "stroke-width": 1.6 }));
            targets.push({ x: (from + to) / 2, y: top + row / 2, width: to - from, height: row, title: cell.title, lines: cell.lines, group: i });
        }
        if (i % Math.ceil(16 / row) === 0)
            svg.append(text(area.left - 8, top + row / 2 + 4.5, line.label, { "text-anchor": "end" }));
    });
    svg.append(rings);
    for (const tick of ticksOf(x, 52)) {
        svg.append(svgEl("line", { x1: x(tick.value), x2: x(tick.value), y1: area.bottom, y2: area.bottom + 5, stroke: "#444444" }));
        svg.append(text(x(tick.value), area.bottom + 18, tick.text, { "text-anchor": "middle" }));
    }
    svg.append(svgEl("path", { d: `M${area.left} ${area.top}V${area.bottom}H${area.right}`, fill: "none", stroke: "#444444" }),
        text((area.left + area.right) / 2, area.bottom + 40, x.label, { "text-anchor": "middle" }),
        text(0, 0, chart.yLabel, { "text-anchor": "middle", transform: `translate(18 ${(area.top + area.bottom) / 2}) rotate(-90)` }));
    drawColourBar(svg, chart, area.right + 24, area.top, area.bottom);
    return { svg, targets, csv: chart.csv, caption: chart.caption, part: chart.part };
}

function drawColourBar(svg, chart, left, top, bottom) {
    const steps = 48;
    for (let i = 0; i < steps; i++)
        svg.append(svgEl("rect", { x: left, y: bottom - ((i + 1) * (bottom - top)) / steps, width: 16, height: (bottom - top) / steps + 0.6, fill: mix(chart.colours, (i + 0.5) / steps) }));
    for (const tick of chart.bar.ticks)
        svg.append(text(left + 22, bottom - tick.share * (bottom - top) + 4.5, tick.text));
    svg.append(text(0, 0, chart.bar.label, { "text-anchor": "middle", transform: `translate(${left + 84} ${(top + bottom) / 2}) rotate(-90)` }));
}

/* ---- A map of categories ---- */

/* chart: {title, subtitle, columns: [text], rows: [{label, cells: [{style, text, pale, title, lines} or
 * null]}], xLabel, yLabel, key: [{name, style}]}. Row 0 is at the bottom. */
function categoryMap(chart) {
    const step = Math.min(40, Math.max(16, 480 / chart.rows.length));
    const width = chart.width || WIDTH;
    const area = { left: 86, right: width - KEY, top: 40, bottom: 40 + Math.max(120, step * chart.rows.length) };
    const row = (area.bottom - area.top) / chart.rows.length;
    const column = (area.right - area.left) / chart.columns.length;
    const key = keyPlace(area, chart.key.length);
    const svg = frameSvg(key.height, `${chart.title}, ${chart.subtitle}`, width);
    const targets = [];
    svg.append(text(area.left, 22, clip(chart.subtitle, SUBTITLE), { fill: "#666666" }));
    chart.rows.forEach((line, i) => {
        const y = area.bottom - (i + 1) * row;
        line.cells.forEach((cell, k) => {
            if (cell === null) return;
            const style = styleOf(cell.style);
            const fill = mix(["#ffffff", style.colour], cell.pale ? 0.35 : 0.85);
            svg.append(svgEl("rect", { x: area.left + k * column, y, width: column, height: row, fill, stroke: "#ffffff", "stroke-width": 1 }));
            if (column > 34 && row > 15)
                svg.append(text(area.left + (k + 0.5) * column, y + row / 2 + 4.5, cell.text, { "text-anchor": "middle", fill: inkOn(fill) }));
            targets.push({ x: area.left + (k + 0.5) * column, y: y + row / 2, width: column, height: row, title: cell.title, lines: cell.lines, group: i });
        });
        svg.append(text(area.left - 8, y + row / 2 + 4.5, line.label, { "text-anchor": "end" }));
    });
    chart.columns.forEach((name, k) => {
        if (k % Math.ceil(60 / column) === 0)
            svg.append(text(area.left + (k + 0.5) * column, area.bottom + 18, name, { "text-anchor": "middle" }));
    });
    chart.key.forEach((entry, i) => {
        svg.append(svgEl("rect", { x: key.x + 14, y: key.y + 4 + 21 * i, width: 26, height: 12, fill: mix(["#ffffff", styleOf(entry.style).colour], 0.85) }),
            text(key.x + 50, key.y + 15 + 21 * i, clip(entry.name, key.letters)));
    });
    svg.append(text((area.left + area.right) / 2, area.bottom + 40, chart.xLabel, { "text-anchor": "middle" }),
        text(0, 0, chart.yLabel, { "text-anchor": "middle", transform: `translate(18 ${(area.top + area.bottom) / 2}) rotate(-90)` }));
    return { svg, targets, csv: chart.csv, caption: chart.caption, part: chart.part };
}

/* ---- Bars ---- */

/* chart: {title, subtitle, x: axis, bars: [{label, parts: [{value, colour, title, lines}]}],
 * key: [{name, colour}]}: horizontal, their parts one after another. */
function barChart(chart) {
    const most = chart.bars.reduce((length, bar) => Math.max(length, Math.min(LABEL, bar.label.length)), 4);
    const keyed = chart.key && chart.key.length > 0;
    const area = { left: 24 + (NARROW ? 8.6 : 7.3) * most, right: WIDTH - 30, top: keyed ? 62 : 40, bottom: 0 };
    const row = 24;
    area.bottom = area.top + row * chart.bars.length + 4;
    const svg = frameSvg(area.bottom + 54, `${chart.title}, ${chart.subtitle}`);
    const totals = chart.bars.map((bar) => bar.parts.reduce((sum, part) => sum + part.value, 0));
    const x = makeScale({ ...chart.x, zero: true }, [0, ...totals], area.left, area.right);
    const targets = [];
    svg.append(text(NARROW ? 8 : area.left, 22, clip(chart.subtitle, SUBTITLE), { fill: "#666666" }));
    let keyX = NARROW ? 8 : area.left;
    for (const entry of chart.key || []) {
        svg.append(svgEl("rect", { x: keyX, y: 36, width: 22, height: 12, fill: entry.colour }), text(keyX + 28, 47, entry.name));
        keyX += 48 + 7.2 * entry.name.length;
    }
    for (const tick of ticksOf(x, 70)) {
        svg.append(svgEl("line", { x1: x(tick.value), x2: x(tick.value), y1: area.top, y2: area.bottom, stroke: "#dddddd" }),
            text(x(tick.value), area.bottom + 18, tick.text, { "text-anchor": "middle" }));
    }
    chart.bars.forEach((bar, i) => {
        const y = area.top + i * row + 4;
        let from = 0;
        for (const part of bar.parts) {
            const [left, right] = [x(from), x(from + part.value)];
            svg.append(svgEl("rect", { x: left, y, width: Math.max(0, right - left), height: row - 6, fill: part.colour }));
            targets.push({ x: (left + right) / 2, y: y + row / 2 - 3, width: Math.max(3, right - left), height: row, title: part.title || bar.label, lines: part.lines, group: i });
            from += part.value;
        }
        svg.append(text(area.left - 8, y + row / 2 + 1, clipMiddle(bar.label, LABEL), { "text-anchor": "end" }));
    });
    svg.append(svgEl("path", { d: `M${area.left} ${area.top}V${area.bottom}H${area.right}`, fill: "none", stroke: "#444444" }),
        text((area.left + area.right) / 2, area.bottom + 40, x.label, { "text-anchor": "middle" }));
    return { svg, targets, csv: chart.csv, caption: chart.caption, part: chart.part };
}
