/* network.js - the network with its links in the colours of their loads, over time. Where everything is, and which
 * strokes stand for several links, is laid out by platforms/map.c. */
"use strict";

const LOADS = ["#aad0e7", "#2171ab", "#041f38"]; /* as in the picture for papers */
const LOAD_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; /* nothing to full */

function networkMap(map, run) {
    const strokes = map.strokes.map(([path, width, links, bandwidth, load, name, windows]) => ({
        links, bandwidth, load, name, windows: [...windows].map((digit) => LOAD_DIGITS.indexOf(digit) / 63),
        element: svgEl("path", { d: path, "stroke-width": width }),
    }));
    const grow = map.width / WIDTH; /* of letters, so that they keep their size on a narrow screen */
    const svg = frameSvg(map.height + (NARROW ? 210 : 0), "The network", map.width + (NARROW ? 0 : 110));
    const scale = svgEl("g", { transform: `translate(${NARROW ? 0 : map.width} ${NARROW ? map.height : 0}) scale(${grow})` });
    svg.setAttribute("aria-label", "The network. Arrow keys move, plus and minus zoom, 0 shows all, N and B go to the next and the previous fullest link.");
    const switches = svgEl("path", { d: map.nodes, stroke: "#333333", "stroke-width": map.node });
    const drawn = svgEl("g", { fill: "none" }, strokes.map((stroke) => stroke.element));
    const picture = svgEl("g", {}, drawn,
        map.labels.map(([x, y, string]) => text(x, y, string, { fill: "#444444", "font-size": map.letter * grow, stroke: "#ffffff", "stroke-width": 3, "paint-order": "stroke", "pointer-events": "none" })));
    svg.append(svgEl("clipPath", { id: "map-area" }, svgEl("rect", { width: map.width, height: map.height })), svgEl("g", { "clip-path": "url(#map-area)" }, picture));
    drawColourBar(scale, { colours: LOADS, bar: { label: "share used", ticks: [0, 0.5, 1].map((share) => ({ share, text: 100 * share + " %" })) } }, 14, 14, NARROW ? 120 : Math.max(90, Math.min(map.height - 12, 260)));
    svg.append(scale);

    let window = -1; /* the whole run */
    const loadOf = (stroke) => (window < 0 ? stroke.load : stroke.windows[window] || 0);
    const formatWindow = (i) => (i < 0 ? "the whole run" : `${formatSeconds(i * map.window_s, 4)} to ${formatSeconds(Math.min((i + 1) * map.window_s, map.time_s), 4)}`);
    let order = [];
    let current = -1;
    const colour = () => {
        for (const stroke of strokes) stroke.element.setAttribute("stroke", loadOf(stroke) > 0 ? mix(LOADS, loadOf(stroke)) : "#dcdcdc");
        order = strokes.filter((stroke) => loadOf(stroke) > 0).sort((a, b) => loadOf(b) - loadOf(a));
        drawn.append(...order.map((stroke) => stroke.element).reverse(), switches); /* the fullest on top */
        current = -1;
        hideTip();
    };
    const show = (stroke, x, y) => {
        const lines = [["load", (window < 0 ? "" : "about ") + formatPercent(loadOf(stroke)).replace(/(\.\d)\d+/, "$1")], ["in", formatWindow(window)], ["links", stroke.links > 1 ? `${stroke.links}, of which this is the fullest in all` : "1"], ["bandwidth", formatRate(stroke.bandwidth) + (stroke.links > 1 ? " together" : "")]];
        showTip(stroke.name || "idle", lines, x, y);
        return (stroke.name || "idle") + ": " + lines.map((line) => line.join(" ")).join(", ");
    };

    /* ---- Zoom ---- */

    let view = { x: 0, y: 0, scale: 1 };
    const place = () => {
        view.x = Math.min(0, Math.max(map.width * (1 - view.scale), view.x));
        view.y = Math.min(0, Math.max(map.height * (1 - view.scale), view.y));
        picture.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
    };
    const zoom = (times, x = map.width / 2, y = map.height / 2) => {
        const scale = Math.min(40, Math.max(1, view.scale * times));
        view = { x: x - ((x - view.x) * scale) / view.scale, y: y - ((y - view.y) * scale) / view.scale, scale };
        place();
    };
    const move = (x, y) => {
        view = { ...view, x: view.x + x, y: view.y + y };
        place();
    };
    const reset = () => {
        view = { x: 0, y: 0, scale: 1 };
        place();
    };
    const inside = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    svg.addEventListener("wheel", (event) => {
        event.preventDefault();
        zoom(Math.exp(-event.deltaY / 400), inside(event).x, inside(event).y);
    }, { passive: false });
    const held = new Map(); /* pointers: one drags, two pinch */
    svg.addEventListener("pointerdown", (event) => {
        held.set(event.pointerId, inside(event));
        svg.setPointerCapture(event.pointerId);
    });
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => held.delete(event.pointerId));
    svg.addEventListener("pointermove", (event) => {
        const from = held.get(event.pointerId);
        if (from === undefined) {
            /* Lines are thin: the nearest of a few places. */
            const hit = [0, 2, -2, 4, -4].flatMap((d) => [[d, 0], [0, d]]).map(([dx, dy]) => document.elementFromPoint(event.clientX + dx, event.clientY + dy))
                .map((element) => strokes.find((stroke) => stroke.element === element)).find((stroke) => stroke !== undefined);
            return hit ? show(hit, event.clientX, event.clientY) : hideTip();
        }
        const to = inside(event);
        const other = [...held].find(([id]) => id !== event.pointerId);
        if (other === undefined) move(to.x - from.x, to.y - from.y);
        else zoom(Math.hypot(to.x - other[1].x, to.y - other[1].y) / Math.max(1, Math.hypot(from.x - other[1].x, from.y - other[1].y)), other[1].x, other[1].y);
        held.set(event.pointerId, to);
    });
    svg.addEventListener("dblclick", reset);
    svg.addEventListener("pointerleave", hideTip);
    svg.addEventListener("blur", hideTip);
    const step = (by) => {
        if (order.length === 0) return;
        current = (current + by + order.length) % order.length;
        const box = order[current].element.getBoundingClientRect();
        say(show(order[current], box.left + box.width / 2, box.top + box.height / 2));
    };
    svg.addEventListener("keydown", (event) => {
        const actions = {
            ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60), "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4),
            0: reset, n: () => step(1), b: () => step(current < 0 ? 0 : -1), Escape: hideTip,
        };
        const action = actions[event.key] || actions[event.key.toLowerCase()];
        if (!action || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        action();
    });

    /* ---- Controls ---- */

    const times = Array.from({ length: map.windows + 1 }, (_, i) => i - 1);
    const chosen = slider("time", times, 0, formatWindow, (value) => {
        window = value;
        colour();
    });
    const input = chosen.querySelector("input");
    let timer = null;
    const play = el("button", { type: "button", "aria-pressed": "false", click: () => {
        if (timer === null && map.windows > 0) timer = setInterval(() => {
            input.value = (Number(input.value) % map.windows) + 1;
            input.dispatchEvent(new Event("input"));
        }, 150);
        else timer = clearInterval(timer) || null;
        play.setAttribute("aria-pressed", String(timer !== null));
        play.textContent = timer === null ? "▶ Play" : "⏸ Stop";
    } }, "▶ Play");
    const button = (label, title, action) => el("button", { type: "button", title, "aria-label": title, click: action }, label);
    colour();
    const most = Math.max(...strokes.map((stroke) => stroke.links));
    const made = figure({
        title: "The network", name: "network", wide: true,
        controls: [chosen, play, button("+", "zoom in", () => zoom(1.6)), button("−", "zoom out", () => zoom(1 / 1.6)), button("Reset", "show all", reset)],
        caption: `${run.platform}, engine ${run.engine}, overlap rule ${run.progress}. The colour is the share of a link's bandwidth that is used; pale grey: idle; squares beside the switches: hosts' own links. A stroke stands for up to ${formatCount(most)} links, both directions among them, and shows the fullest.` +
            " Wheel or pinch zooms, dragging moves, a double click shows all.",
        draw: () => ({ svg, csv: [["fullest_link", "links", "bandwidth_bytes_per_s", "load", ...times.slice(1).map((i) => i * map.window_s)], ...strokes.map((stroke) => [stroke.name, stroke.links, stroke.bandwidth, stroke.load, ...stroke.windows])] }),
    });
    made.classList.add("map");
    return made;
}
