/* space_time.js - the space-time diagram: ranks against time, on a canvas, with zoom. Instead of messages it can show the
 * steps of ranks, which have names (workload.js) and one end each.
 *
 * A message is a bar on its receiver's row and a thinner one above it on its sender's. What is drawn
 * goes through the few calls that a canvas and SvgPen, which makes an SVG of them, have in common. */
"use strict";

const CAUSE_TEXTS = {
    data: "waited for the data that it passes on", sender: "waited for its sender's other messages", receiver: "waited for its receiver's other messages",
    barrier: "waited for other ranks at the barrier", host: "waited for its hosts' ports", combining: "waited for its ranks to combine data",
    start: "started when its ranks did", unexplained: "waited for something that no message explains",
};
const MOST_SVG_BARS = 20000;

/* The messages, by columns: those that were embedded, or only the critical path's. */
function messagesOf(data) {
    const path = (data.simulated.diagnosis && data.simulated.diagnosis.critical_path && data.simulated.diagnosis.critical_path.steps) || [];
    if (data.messages) return { ...data.messages, whole: data.messages.total === data.messages.from.length };
    const causes = Object.keys(CAUSE_TEXTS);
    const column = (name) => path.map((step) => step[name]);
    return {
        total: path.length, every: 0, whole: false, ranks: data.simulated.p, coloured_by: "round", colours: 1 + Math.max(0, ...column("round")), causes,
        from: column("from"), to: column("to"), port: column("port"), round: column("round"), bytes: column("bytes"), start_s: column("start_s"), end_s: column("end_s"),
        alone_s: path.map(() => 0), cause: path.map((step) => causes.indexOf(step.cause)), at: column("at"), before: path.map((_, i) => i - 1), first: null, owner: null, block_count: null,
    };
}

/* The indices of the critical path's messages: from the one that ends last back to time 0. */
function criticalPath(messages) {
    let last = -1;
    for (let i = 0; i < messages.end_s.length; i++)
        if (last < 0 || messages.end_s[i] >= messages.end_s[last]) last = i;
    return chainTo(messages, last);
}
function chainTo(messages, last) {
    const chain = [];
    for (let i = last; i >= 0 && chain.length <= messages.from.length; i = messages.before[i]) chain.push(i);
    return chain.reverse();
}

/* For each rank its messages as sender or receiver. */
function byRank(messages) {
    const first = new Int32Array(messages.ranks + 1);
    const count = messages.from.length;
    const ends = (i) => [messages.from[i], messages.to[i]].filter((rank) => rank >= 0);
    for (let i = 0; i < count; i++)
        for (const rank of ends(i)) first[rank + 1]++;
    for (let rank = 0; rank < messages.ranks; rank++) first[rank + 1] += first[rank];
    const next = first.slice();
    const message = new Int32Array(2 * count);
    for (let i = 0; i < count; i++)
        for (const rank of ends(i)) message[next[rank]++] = i;
    return { first, message };
}

/* The indices of keys from 0 to most - 1, by key: counting. */
function sortedBy(keys, most) {
    const first = new Int32Array(most + 1);
    for (const key of keys) first[key + 1]++;
    for (let key = 0; key < most; key++) first[key + 1] += first[key];
    const order = new Int32Array(keys.length);
    keys.forEach((key, i) => { order[first[key]++] = i; });
    return order;
}

/* Makes an SVG of what is drawn. */
class SvgPen {
    constructor(width, height) {
        this.root = svgEl("svg", { viewBox: `0 0 ${width} ${height}` });
        this.into = this.root;
        this.path = "";
    }
    fillRect(x, y, width, height) {
        this.into.append(svgEl("rect", { x: x.toFixed(2), y: y.toFixed(2), width: width.toFixed(2), height: height.toFixed(2), fill: this.fillStyle }));
    }
    beginPath() { this.path = ""; }
    moveTo(x, y) { this.path += `M${x.toFixed(2)} ${y.toFixed(2)}`; }
    lineTo(x, y) { this.path += `L${x.toFixed(2)} ${y.toFixed(2)}`; }
    stroke() { this.into.append(svgEl("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash || null })); }
    setLineDash(dash) { this.dash = dash.join(" "); }
    fillText(string, x, y) {
        this.into.append(text(x, y, string, { "text-anchor": { center: "middle", right: "end" }[this.textAlign] || "start", fill: this.fillStyle, "font-size": 12 }));
    }
    within(area) {
        this.root.append(svgEl("clipPath", { id: "area" }, svgEl("rect", { x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top })));
        this.into = svgEl("g", { "clip-path": "url(#area)" });
        this.root.append(this.into);
    }
    everywhere() { this.into = this.root; }
}
class CanvasPen {
    constructor(context) {
        this.context = context;
        context.font = "12px " + FONT;
    }
    set fillStyle(value) { this.context.fillStyle = value; }
    set strokeStyle(value) { this.context.strokeStyle = value; }
    set lineWidth(value) { this.context.lineWidth = value; }
    set textAlign(value) { this.context.textAlign = value; }
    fillRect(x, y, width, height) { this.context.fillRect(x, y, width, height); }
    beginPath() { this.context.beginPath(); }
    moveTo(x, y) { this.context.moveTo(x, y); }
    lineTo(x, y) { this.context.lineTo(x, y); }
    stroke() { this.context.stroke(); }
    setLineDash(dash) { this.context.setLineDash(dash); }
    fillText(string, x, y) { this.context.fillText(string, x, y); }
    within(area) {
        this.context.save();
        this.context.beginPath();
        this.context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
        this.context.clip();
    }
    everywhere() { this.context.restore(); }
}

function keyOf(colour) {
    return svgEl("svg", { width: 14, height: 10, "aria-hidden": "true" }, svgEl("rect", { width: 14, height: 10, fill: colour }));
}

function spaceTime(data) {
    const messages = messagesOf(data);
    const count = messages.from.length;
    const ranks = messages.ranks;
    const end = data.simulated.time_s;
    if (count === 0 || !(end > 0)) return el("p", { class: "none" }, "There are no messages to draw, or they take no time.");
    const index = byRank(messages);
    const { names } = messages; /* of steps */
    const numberOf = (rank) => rank * (names ? messages.every : 1);
    const path = names ? [] : criticalPath(messages);
    const onPath = new Set(path);
    const phases = (data.simulated.diagnosis && data.simulated.diagnosis.phases) || [];
    const colourOf = (i) => (messages.coloured_by === "owner" ? messages.owner[i] : messages.coloured_by === "block" ? messages.first[i] : messages.round[i]);
    const palette = Array.from({ length: 64 }, (_, i) => (names ? stepColour(i) : mix(VIRIDIS, i / 63)));
    const shade = Uint8Array.from({ length: count }, (_, i) => (names ? messages.round[i] : messages.colours > 1 ? Math.round((63 * colourOf(i)) / (messages.colours - 1)) : 28));
    const byShade = sortedBy(shade, 64);
    const packed = palette.map((colour) => 0xff000000 | (parseInt(colour.slice(5, 7), 16) << 16) | (parseInt(colour.slice(3, 5), 16) << 8) | parseInt(colour.slice(1, 3), 16));

    const height = Math.min(620, Math.max(240, 26 * ranks + 100));
    const area = { left: 64, right: 1200, top: 34, bottom: height - 46 };
    const whole = { t0: 0, t1: end, r0: 0, r1: ranks };
    let view = { ...whole };
    const show = { path: !names, sends: true, receives: true };
    let pinned = -1;
    let hovered = -1;
    let row = Int32Array.from({ length: ranks }, (_, rank) => rank);
    let rankIn = row;

    const canvas = el("canvas", { tabindex: 0, role: "application", class: "space-time", "aria-label": "Space-time diagram. Arrow keys move, plus and minus zoom, 0 resets, N and B go along the critical path." });
    const frame = el("figure", { class: "wide" });
    const said = el("p", { class: "small pinned" }, `Wheel zooms around the pointer (with Shift time only, with Alt ranks only), dragging moves, ${names ? "" : "a click traces a message back to time 0, "}a double click resets.`);
    const xOf = (time) => area.left + ((time - view.t0) / (view.t1 - view.t0)) * (area.right - area.left);
    const yOf = (place) => area.top + ((place - view.r0) / (view.r1 - view.r0)) * (area.bottom - area.top);
    const rowHeight = () => (area.bottom - area.top) / (view.r1 - view.r0);

    /* A bar's place in its row, as [from, to] in rows. */
    const sendBand = () => (rowHeight() < 3 || !show.receives ? [0, 1] : [0.04, 0.34]);
    const receiveBand = () => (rowHeight() < 3 || !show.sends ? [0, 1] : [0.38, 0.94]);

    function drawBars(pen) {
        const size = rowHeight();
        const least = Math.max(0.4, Math.min(1, size));
        let last = -1;
        let drawn = 0;
        const bar = (rank, band, i) => {
            if (rank < 0) return;
            const place = row[rank];
            if (place + 1 < view.r0 || place > view.r1) return;
            const from = Math.max(area.left, xOf(messages.start_s[i]));
            const to = Math.min(area.right, from + Math.max(0.6, xOf(messages.end_s[i]) - from));
            const top = Math.max(area.top, yOf(place + band[0]));
            const bottom = Math.min(area.bottom, Math.max(top + least, yOf(place + band[1])));
            if (to <= from || bottom <= top) return;
            if (shade[i] !== last) pen.fillStyle = palette[(last = shade[i])];
            pen.fillRect(from, top, to - from, bottom - top);
            drawn++;
            /* What it loses because it shares links. */
            if (messages.alone_s[i] > 0 && messages.end_s[i] - messages.start_s[i] > 1.01 * messages.alone_s[i] && size >= 6) {
                const alone = Math.max(area.left, xOf(messages.start_s[i] + messages.alone_s[i]));
                if (to > alone) {
                    pen.fillStyle = "#fde0cd";
                    pen.fillRect(alone, top, to - alone, bottom - top);
                    pen.fillStyle = "#d55e00";
                    pen.fillRect(alone, bottom - 1.2, to - alone, 1.2);
                    last = -1;
                }
            }
        };
        const [sends, receives] = [sendBand(), receiveBand()];
        for (let k = 0; k < count; k++) {
            const i = byShade[k];
            if (messages.end_s[i] < view.t0 || messages.start_s[i] > view.t1) continue;
            if (show.receives) bar(messages.to[i], receives, i);
            if (show.sends) bar(messages.from[i], sends, i);
        }
        frame.dataset.bars = drawn;
    }

    /* The bars of thin rows, in which sends and receives have no places of their own, are drawn point by point, which is many times faster
     * than as rectangles. */
    function drawPoints(context, width, rows) {
        const image = context.createImageData(width, rows);
        const points = new Uint32Array(image.data.buffer).fill(0xffffffff);
        const [left, right, top, bottom] = [area.left, area.right, area.top, area.bottom].map((at) => Math.round(at * scale));
        const [perSecond, perRow] = [(right - left) / (view.t1 - view.t0), (bottom - top) / (view.r1 - view.r0)];
        let drawn = 0;
        const bar = (rank, colour, from, to) => {
            if (rank < 0) return;
            const y0 = top + (row[rank] - view.r0) * perRow;
            const first = Math.max(top, Math.round(y0));
            const end = Math.min(bottom, Math.max(first + 1, Math.round(y0 + perRow)));
            if (first >= bottom || y0 + perRow <= top) return;
            for (let y = first; y < end; y++) points.fill(colour, y * width + from, y * width + to);
            drawn++;
        };
        for (let k = 0; k < count; k++) {
            const i = byShade[k];
            const from = Math.max(left, Math.round(left + (messages.start_s[i] - view.t0) * perSecond));
            const to = Math.min(right, Math.max(from + 1, Math.round(left + (messages.end_s[i] - view.t0) * perSecond)));
            if (to <= from) continue;
            if (show.receives) bar(messages.to[i], packed[shade[i]], from, to);
            if (show.sends) bar(messages.from[i], packed[shade[i]], from, to);
        }
        context.putImageData(image, 0, 0);
        frame.dataset.bars = drawn;
    }

    /* A line through a chain's messages: from each one's sender to its receiver. */
    function drawChain(pen, chain, colour, width) {
        const points = [];
        for (const i of chain) {
            points.push([messages.start_s[i], row[messages.from[i]] + 0.5], [messages.end_s[i], row[messages.to[i]] + 0.5]);
        }
        for (const [stroke, thick] of [["#ffffff", width + 2], [colour, width]]) {
            pen.strokeStyle = stroke;
            pen.lineWidth = thick;
            pen.beginPath();
            points.forEach(([time, place], k) => (k === 0 ? pen.moveTo(xOf(time), yOf(place)) : pen.lineTo(xOf(time), yOf(place))));
            pen.stroke();
        }
    }

    function drawFrame(pen) {
        const time = makeScale({ kind: "seconds", log: false, label: "simulated time" }, [0, 1], area.left, area.right);
        [time.low, time.high] = [view.t0, view.t1];
        [time.unitName, time.unit] = secondsUnit(view.t1);
        const step = niceStep((view.t1 - view.t0) / time.unit / 9);
        pen.fillStyle = "#222222";
        pen.textAlign = "center";
        pen.strokeStyle = "#444444";
        pen.lineWidth = 1;
        pen.setLineDash([]);
        for (let k = Math.ceil(view.t0 / time.unit / step); k * step * time.unit <= view.t1 * (1 + 1e-12); k++) {
            const x = xOf(k * step * time.unit);
            pen.beginPath();
            pen.moveTo(x, area.bottom);
            pen.lineTo(x, area.bottom + 5);
            pen.stroke();
            pen.fillText(digits(k * step, 8), x, area.bottom + 19);
        }
        pen.fillText(`simulated time (${time.unitName})`, (area.left + area.right) / 2, area.bottom + 38);
        pen.textAlign = "right";
        const rankStep = Math.max(1, niceStep((16 * (view.r1 - view.r0)) / (area.bottom - area.top)));
        for (let place = Math.ceil(view.r0 / rankStep) * rankStep; place < view.r1; place += rankStep)
            if (place + 0.5 >= view.r0 && place + 0.5 <= view.r1) pen.fillText(String(numberOf(rankIn[place])), area.left - 7, yOf(place + 0.5) + 4);
        pen.textAlign = "left";
        pen.fillText("rank", 6, area.top - 6);
        pen.beginPath();
        pen.moveTo(area.left, area.top);
        pen.lineTo(area.left, area.bottom);
        pen.lineTo(area.right, area.bottom);
        pen.stroke();
        /* The phases: names above, dashed limits. */
        pen.textAlign = "center";
        for (const phase of phases) {
            const [from, to] = [Math.max(phase.from_s, view.t0), Math.min(phase.to_s, view.t1)];
            if (!(to > from)) continue;
            if (xOf(to) - xOf(from) > 44) pen.fillText(phase.phase, (xOf(from) + xOf(to)) / 2, area.top - 18);
            pen.beginPath();
            pen.moveTo(xOf(from) + 1, area.top - 12);
            pen.lineTo(xOf(to) - 1, area.top - 12);
            pen.stroke();
        }
    }
    function drawLimits(pen) {
        pen.strokeStyle = "#666666";
        pen.lineWidth = 1;
        pen.setLineDash([5, 4]);
        for (const phase of phases)
            if (phase.to_s > phase.from_s && phase.to_s < end) {
                pen.beginPath();
                pen.moveTo(xOf(phase.to_s), area.top);
                pen.lineTo(xOf(phase.to_s), area.bottom);
                pen.stroke();
            }
        pen.setLineDash([]);
    }
    function outline(pen, i) {
        for (const [rank, band] of [[messages.to[i], receiveBand()], [messages.from[i], sendBand()]].filter(([rank]) => rank >= 0)) {
            const [x, y] = [xOf(messages.start_s[i]), yOf(row[rank] + band[0])];
            const [x2, y2] = [xOf(messages.end_s[i]), yOf(row[rank] + band[1])];
            pen.strokeStyle = "#000000";
            pen.lineWidth = 2;
            pen.beginPath();
            for (const [k, [px, py]] of [[x, y], [x2, y], [x2, y2], [x, y2], [x, y]].entries()) (k === 0 ? pen.moveTo(px, py) : pen.lineTo(px, py));
            pen.stroke();
        }
    }

    function paint(pen, raster) {
        pen.within(area);
        if (raster) raster();
        else drawBars(pen);
        drawLimits(pen);
        if (show.path) drawChain(pen, path, "#000000", 1.8);
        if (pinned >= 0) drawChain(pen, chainTo(messages, pinned), "#d55e00", 2.2);
        if (hovered >= 0) {
            if (!names) drawChain(pen, [hovered], "#0072b2", 1.6);
            outline(pen, hovered);
        }
        pen.everywhere();
        drawFrame(pen);
    }

    let scale = 1;
    let waiting = false;
    let base = null; /* the bars of this view, so that pointing doesn't draw them anew */
    let baseKey = "";
    function draw() {
        waiting = false;
        const begun = performance.now();
        const box = canvas.getBoundingClientRect();
        const width = Math.max(320, box.width || 1100);
        scale = Math.min(3, window.devicePixelRatio || 1);
        area.right = width - 12;
        const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
        if (canvas.width !== w || canvas.height !== h) {
            canvas.width = w;
            canvas.height = h;
            canvas.style.height = height + "px";
        }
        const context = canvas.getContext("2d");
        const key = JSON.stringify([view, show, w, h, rankIn[0], rankIn[ranks - 1], row === rankIn]);
        if (key !== baseKey) {
            base = base || document.createElement("canvas");
            base.width = w;
            base.height = h;
            const under = base.getContext("2d");
            under.setTransform(scale, 0, 0, scale, 0, 0);
            under.fillStyle = "#ffffff";
            under.fillRect(0, 0, width, height);
            if (rowHeight() < 3) drawPoints(under, w, h);
            else drawBars(under);
            baseKey = key;
        }
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.drawImage(base, 0, 0);
        context.setTransform(scale, 0, 0, scale, 0, 0);
        paint(new CanvasPen(context), () => {});
        frame.dataset.drawMs = (performance.now() - begun).toFixed(1);
        frame.dataset.view = [view.t0, view.t1, view.r0, view.r1].join(" ");
    }
    function redraw() {
        if (!waiting) requestAnimationFrame(draw);
        waiting = true;
    }

    /* ---- Moving ---- */

    function limit() {
        const leastTime = end * 1e-6;
        const span = Math.min(Math.max(view.t1 - view.t0, leastTime), end);
        const rows = Math.min(Math.max(view.r1 - view.r0, Math.min(2, ranks)), ranks);
        view.t0 = Math.min(Math.max(view.t0, 0), end - span);
        view.t1 = view.t0 + span;
        view.r0 = Math.min(Math.max(view.r0, 0), ranks - rows);
        view.r1 = view.r0 + rows;
    }
    function zoom(factor, time, place, axes) {
        hovered = -1;
        hideTip();
        if (axes !== "ranks") {
            view.t0 = time - (time - view.t0) * factor;
            view.t1 = time + (view.t1 - time) * factor;
        }
        if (axes !== "time") {
            view.r0 = place - (place - view.r0) * factor;
            view.r1 = place + (view.r1 - place) * factor;
        }
        limit();
        redraw();
    }
    const reset = () => {
        view = { ...whole };
        redraw();
    };
    const timeAt = (x) => view.t0 + ((x - area.left) / (area.right - area.left)) * (view.t1 - view.t0);
    const placeAt = (y) => view.r0 + ((y - area.top) / (area.bottom - area.top)) * (view.r1 - view.r0);
    const inside = (x, y) => x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;

    /* The message at a place, the one nearest in time among those of its rank; -1: none. */
    function messageAt(x, y) {
        const place = placeAt(y);
        const rank = rankIn[Math.floor(place)];
        if (rank === undefined) return -1;
        const [time, near] = [timeAt(x), (4 * (view.t1 - view.t0)) / (area.right - area.left)];
        const [part, split] = [place - Math.floor(place), rowHeight() >= 3 && show.sends && show.receives];
        let [best, nearest] = [-1, Infinity];
        for (let k = index.first[rank]; k < index.first[rank + 1]; k++) {
            const i = index.message[k];
            const sends = messages.from[i] === rank;
            if ((sends && !show.sends) || (!sends && !show.receives) || (split && sends !== part < 0.36)) continue;
            const away = Math.max(messages.start_s[i] - time, time - messages.end_s[i], 0);
            if (away <= near && away < nearest) [best, nearest] = [i, away];
        }
        return best;
    }
    function blocksText(i) {
        if (!messages.first) return "not in this file";
        const [number, first] = [messages.block_count[i], messages.first[i]];
        const owner = messages.coloured_by === "owner" ? ` of rank ${messages.owner[i]}` : "";
        return number > 1 ? `${number} blocks, the first is ${first}${owner}` : `block ${first}${owner}`;
    }
    const titleOf = (i) => (names ? names[messages.round[i]] : `round ${messages.round[i]}: rank ${messages.from[i]} to ${messages.to[i]}`);
    function linesOf(i) {
        const [start, finish, before] = [messages.start_s[i], messages.end_s[i], messages.before[i]];
        if (names) return [["rank", numberOf(Math.max(messages.from[i], messages.to[i]))], ["begins", formatSeconds(start, 9)], ["ends", formatSeconds(finish, 9)], ["takes", formatSeconds(finish - start, 6)], ["started", messages.from[i] >= 0 ? "yes" : "no"]];
        const cause = messages.causes[messages.cause[i]];
        const lost = messages.alone_s[i] > 0 ? Math.max(0, finish - start - messages.alone_s[i]) : null;
        return [["from, to", `rank ${messages.from[i]} to rank ${messages.to[i]}`], ["round", messages.round[i]], ["carries", `${blocksText(i)}, ${formatBytes(messages.bytes[i])}`],
            ...(messages.port[i] > 0 ? [["port", messages.port[i]]] : []), ["starts", formatSeconds(start, 9)], ["ends", formatSeconds(finish, 9)], ["takes", formatSeconds(finish - start, 6)],
            ...(lost !== null ? [["lost to shared links", formatSeconds(lost, 4)]] : []),
            ["not earlier", `${cause}: it ${CAUSE_TEXTS[cause] || "waited"}` + (before >= 0 ? ` (round ${messages.round[before]}, ${messages.from[before]} to ${messages.to[before]})` : "")],
            ["critical path", onPath.has(i) ? "yes" : "no"]];
    }
    function idleLines(x, y) {
        const rank = rankIn[Math.floor(placeAt(y))];
        const time = timeAt(x);
        const phase = phases.find((other) => other.from_s <= time && time < other.to_s);
        return rank === undefined ? null : [["rank", numberOf(rank)], ["time", formatSeconds(time, 6)], ...(names ? [] : [["phase", phase ? phase.phase : "-"]])];
    }
    function point(event) {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }

    let drag = null;
    canvas.addEventListener("wheel", (event) => {
        const [x, y] = point(event);
        const out = event.deltaY > 0;
        if (!inside(x, y) || (out && view.t1 - view.t0 >= end * 0.999999 && view.r1 - view.r0 >= ranks)) return; /* the page scrolls on */
        event.preventDefault();
        zoom(Math.exp(Math.max(-1, Math.min(1, (event.deltaY || event.deltaX) / 300))), timeAt(x), placeAt(y), event.shiftKey ? "time" : event.altKey ? "ranks" : "both");
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
        const [x, y] = point(event);
        drag = { x, y, view: { ...view }, moved: false };
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        const [x, y] = point(event);
        if (drag !== null) {
            drag.moved = drag.moved || Math.hypot(x - drag.x, y - drag.y) > 4;
            if (!drag.moved) return;
            hideTip();
            const time = ((drag.x - x) / (area.right - area.left)) * (view.t1 - view.t0);
            const places = ((drag.y - y) / (area.bottom - area.top)) * (view.r1 - view.r0);
            view = { t0: drag.view.t0 + time, t1: drag.view.t1 + time, r0: drag.view.r0 + places, r1: drag.view.r1 + places };
            limit();
            redraw();
            return;
        }
        const found = inside(x, y) ? messageAt(x, y) : -1;
        if (found !== hovered) {
            hovered = found;
            redraw();
        }
        const idle = found < 0 && inside(x, y) ? idleLines(x, y) : null;
        if (found >= 0) showTip(titleOf(found), linesOf(found), event.clientX, event.clientY);
        else if (idle) showTip(names ? "no step here" : messages.whole ? "no message here" : "no embedded message here", idle, event.clientX, event.clientY);
        else hideTip();
    });
    const release = () => { drag = null; };
    canvas.addEventListener("pointerup", (event) => {
        const [x, y] = point(event);
        if (drag !== null && !drag.moved && inside(x, y)) pin(messageAt(x, y));
        release();
    });
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => {
        hovered = -1;
        hideTip();
        redraw();
    });
    canvas.addEventListener("dblclick", () => { pin(-1); reset(); });

    function pin(i) {
        if (names) return;
        pinned = i;
        const chain = i >= 0 ? chainTo(messages, i) : [];
        said.textContent = i < 0 ? "Nothing is traced." : `Orange: round ${messages.round[i]}, rank ${messages.from[i]} to ${messages.to[i]}, could start at ${formatSeconds(messages.start_s[i])} after a chain of ${chain.length - 1} messages` +
            (chain.length > 0 && messages.start_s[chain[0]] > end * 1e-9 ? "; the ones before it are not in this page." : ", back to the start.");
        redraw();
    }

    let step = -1;
    function follow(by) {
        if (path.length === 0) return;
        step = Math.min(Math.max(step + by, 0), path.length - 1);
        const i = path[step];
        const [time, place] = [(messages.start_s[i] + messages.end_s[i]) / 2, (row[messages.from[i]] + row[messages.to[i]]) / 2 + 0.5];
        const [span, rows] = [view.t1 - view.t0, view.r1 - view.r0];
        if (messages.start_s[i] < view.t0 || messages.end_s[i] > view.t1) view = { ...view, t0: time - span / 2, t1: time + span / 2 };
        if (Math.min(row[messages.from[i]], row[messages.to[i]]) < view.r0 || Math.max(row[messages.from[i]], row[messages.to[i]]) > view.r1) view = { ...view, r0: place - rows / 2, r1: place + rows / 2 };
        limit();
        hovered = i;
        draw();
        const box = canvas.getBoundingClientRect();
        const title = `step ${step + 1} of ${path.length} of the critical path`;
        showTip(title, linesOf(i), box.left + Math.min(Math.max(xOf(messages.end_s[i]), area.left), area.right), box.top + yOf(row[messages.to[i]] + 1));
        say(title + ": " + linesOf(i).map(([key, value]) => key + " " + value).join(", "));
    }
    canvas.addEventListener("keydown", (event) => {
        const [time, rows] = [view.t1 - view.t0, view.r1 - view.r0];
        const move = (t, r) => {
            view = { t0: view.t0 + t, t1: view.t1 + t, r0: view.r0 + r, r1: view.r1 + r };
            limit();
            redraw();
        };
        const [midTime, midRow] = [(view.t0 + view.t1) / 2, (view.r0 + view.r1) / 2];
        const actions = {
            ArrowLeft: () => move(-time / 8, 0), ArrowRight: () => move(time / 8, 0), ArrowUp: () => move(0, -rows / 8), ArrowDown: () => move(0, rows / 8),
            "+": () => zoom(0.7, midTime, midRow), "=": () => zoom(0.7, midTime, midRow), "-": () => zoom(1 / 0.7, midTime, midRow), 0: reset, n: () => follow(1), b: () => follow(-1),
            Escape: () => { hovered = -1; hideTip(); pin(-1); },
        };
        const action = actions[event.key] || actions[event.key.toLowerCase()];
        if (!action || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        action();
    });
    canvas.addEventListener("blur", hideTip);

    function arrange(by) {
        const begun = new Float64Array(ranks).fill(Infinity);
        for (let i = 0; i < count; i++)
            for (const rank of [messages.from[i], messages.to[i]]) if (rank >= 0) begun[rank] = Math.min(begun[rank], messages.start_s[i]);
        rankIn = Int32Array.from({ length: ranks }, (_, rank) => rank);
        if (by === "begin") rankIn.sort((a, b) => (begun[a] === begun[b] ? a - b : begun[a] - begun[b]));
        row = new Int32Array(ranks);
        rankIn.forEach((rank, place) => { row[rank] = place; });
        baseKey = "";
        redraw();
    }

    function saveSvg() {
        draw();
        const pen = new SvgPen(canvas.width / scale, height);
        const raster = Number(frame.dataset.bars) <= MOST_SVG_BARS ? null : () => {
            /* Too many bars for a picture of lines: they are one of points. */
            pen.into.append(svgEl("image", { href: base.toDataURL("image/png"), x: 0, y: 0, width: canvas.width / scale, height }));
        };
        const kept = hovered;
        hovered = -1;
        paint(pen, raster);
        hovered = kept;
        save("space-time.svg", "image/svg+xml", svgText(pen.root));
    }
    function saveData() {
        if (names) {
            save("steps.csv", "text/csv", toCsv(["step", "rank", "started", "start_s", "end_s"], Array.from({ length: count }, (_, i) => [names[messages.round[i]], numberOf(Math.max(messages.from[i], messages.to[i])), messages.from[i] >= 0 ? 1 : 0, messages.start_s[i], messages.end_s[i]])));
            return;
        }
        const columns = ["round", "from", "to", "port", "bytes", "start_s", "end_s"];
        save("messages.csv", "text/csv", toCsv([...columns, "cause", "on_critical_path"], Array.from({ length: count }, (_, i) => [...columns.map((name) => messages[name][i]), messages.causes[messages.cause[i]], onPath.has(i) ? 1 : 0])));
    }
    const toggle = (label, name) => checkbox(label, show[name], (on) => { show[name] = on; redraw(); });
    const button = (label, action, title) => el("button", { type: "button", title, click: action }, label);
    const center = () => [(view.t0 + view.t1) / 2, (view.r0 + view.r1) / 2];
    frame.append(
        el("div", { class: "top" }, el("h3", {}, "Space-time diagram"), el("span", {}, el("button", { type: "button", class: "save-svg", click: saveSvg }, "Save SVG"), el("button", { type: "button", class: "save-csv", click: saveData }, "Save data"))),
        el("div", { class: "controls" }, button("+", () => zoom(0.6, ...center()), "zoom in"), button("−", () => zoom(1 / 0.6, ...center()), "zoom out"), button("Reset", reset),
            names ? null : toggle("critical path", "path"), toggle(names ? "started" : "sends", "sends"), toggle(names ? "steps" : "receives", "receives"),
            choice("ranks ordered by", [{ value: "number", text: "number" }, { value: "begin", text: "when they begin" }], "number", arrange),
            ...(names ? [] : [button("◀", () => follow(-1), "previous message of the critical path"), el("span", { class: "small" }, "along the critical path"), button("▶", () => follow(1), "next message of the critical path")])),
        el("div", { class: "sheet" }, canvas), said,
        names ? el("figcaption", {}, "The lower bar of a row is the step that the rank does, the upper what it has started. ", names.map((name, i) => [keyOf(stepColour(i)), ` ${name}  `]))
            : el("figcaption", {}, `The lower bar of a row is what the rank receives, the upper what it sends; the colour, from dark to light, is the ${messages.coloured_by === "owner" ? "owner of the first block" : messages.coloured_by === "block" ? "first block" : "round"}` +
            ` (${formatCount(messages.colours)}). Black: the critical path, whose messages determine the time.` + (count > 0 && messages.alone_s.some((alone) => alone > 0) ? " Pale orange: time that a message loses because it shares links." : "")),
        messages.whole ? "" : note(names ? `Only each ${messages.every}th rank is in this page.` : data.messages
            ? `Only ${formatCount(count)} of ${formatCount(messages.total)} messages are in this page: those that each ${messages.every}th rank receives, and the critical path.`
            : "This file has only the messages of the critical path. roundabout simulate --report embeds all messages."));
    if (typeof ResizeObserver === "function") new ResizeObserver(redraw).observe(canvas);
    window.addEventListener("beforeprint", draw);
    redraw();
    return frame;
}
