/* links.js - what links carry: as bars and a table, over time, and in each round of the plan. */
"use strict";

function linkBars(links, run) {
    const share = (link) => link.bytes / link.bandwidth_bytes_per_s / run.time_s;
    const most = 25;
    const shown = [...links].sort((a, b) => share(b) - share(a)).slice(0, most);
    return figure({
        title: "The busiest links", name: "links",
        caption: `How long a link would need for its bytes at full bandwidth, as a share of the simulated time.` + (links.length > most ? ` The first ${most} are shown; the table has the ${formatCount(links.length)} busiest.` : ""),
        draw: () => barChart({
            title: "The busiest links", subtitle: `${run.collective} ${run.algorithm} on ${run.platform}`, x: { kind: "share", label: "share of time busy" },
            bars: shown.map((link) => ({
                label: link.link,
                parts: [{ value: share(link), colour: STYLES[0].colour, lines: [["busy", formatPercent(share(link))], ["bytes", `${formatBytes(link.bytes)} (${formatCount(link.bytes)})`], ["messages", formatCount(link.messages)],
                    ["of one round, at most", formatCount(link.most_in_round)], ["bandwidth", formatRate(link.bandwidth_bytes_per_s)]] }],
            })),
            csv: [["link", "share", "bytes", "messages", "bandwidth_bytes_per_s"], ...shown.map((link) => [link.link, share(link), link.bytes, link.messages, link.bandwidth_bytes_per_s])],
        }),
    });
}

/* Rows are links, by level; columns are bins of time. The colours are a picture inside the SVG. */
function linksOverTime(contention) {
    const { bins, levels } = contention;
    let level = -1;
    const box = {};
    const options = [{ value: -1, text: "all levels" }, ...levels.map((one, i) => ({ value: i, text: `${one.name} (${one.links})` })).filter((option) => contention.links.some((link) => link.level === option.value))];
    const made = figure({
        title: "How busy links are over time", name: "links-over-time",
        controls: [choice("level", options, level, (value) => { level = value; box.redraw(); })],
        caption: `The colour is the share of a link's bandwidth that is used. ` + (contention.links.length < contention.total ? `The ${formatCount(contention.links.length)} busiest of ${formatCount(contention.total)} links that messages can share are in this page.` : ""),
        draw: () => {
            const links = contention.links.filter((link) => level < 0 || link.level === level);
            if (links.length === 0) return "No message crosses a link that messages can share.";
            const row = Math.min(18, Math.max(2, 430 / links.length));
            const area = { left: 128, right: WIDTH - 110, top: 40, bottom: 40 + row * links.length };
            const svg = frameSvg(area.bottom + 54, "How busy links are over time");
            const x = makeScale({ kind: "seconds", log: false, label: "simulated time", zero: true }, [0, contention.time_s], area.left, area.right);
            const at = (time) => area.left + (time / contention.time_s) * (area.right - area.left);
            const picture = document.createElement("canvas");
            [picture.width, picture.height] = [bins, links.length];
            const context = picture.getContext("2d");
            links.forEach((link, i) => link.load.forEach((load, bin) => {
                context.fillStyle = mix(BLUES, load);
                context.fillRect(bin, i, 1, 1);
            }));
            const wide = at(bins * contention.bin_s) - area.left;
            svg.append(svgEl("clipPath", { id: "links-area" }, svgEl("rect", { x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top })),
                svgEl("image", { href: picture.toDataURL("image/png"), x: area.left, y: area.top, width: wide, height: area.bottom - area.top, preserveAspectRatio: "none", "image-rendering": "pixelated", "clip-path": "url(#links-area)" }));
            svg.append(text(area.left, 22, level < 0 ? "all levels" : levels[level].name, { fill: "#666666" }));
            for (const tick of ticksOf(x, 60))
                if (tick.value <= contention.time_s) svg.append(text(at(tick.value), area.bottom + 18, tick.text, { "text-anchor": "middle" }));
            links.forEach((link, i) => {
                const [y, begins] = [area.top + i * row, i === 0 || links[i - 1].level !== link.level];
                if (row >= 13) svg.append(text(area.left - 6, y + row / 2 + 4, clipMiddle(link.link, 17), { "text-anchor": "end", "font-size": 12 }));
                else if (begins) svg.append(text(area.left - 6, y + 11, levels[link.level].name, { "text-anchor": "end" }));
                if (begins && i > 0) svg.append(svgEl("line", { x1: area.left - 100, x2: area.right, y1: y, y2: y, stroke: "#444444", "stroke-width": 0.7 }));
            });
            svg.append(svgEl("path", { d: `M${area.left} ${area.top}V${area.bottom}H${area.right}`, fill: "none", stroke: "#444444" }),
                text((area.left + area.right) / 2, area.bottom + 40, x.label, { "text-anchor": "middle" }));
            drawColourBar(svg, { colours: BLUES, bar: { label: "share used", ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => ({ share, text: 100 * share + " %" })) } }, area.right + 14, area.top, Math.max(area.top + 90, area.bottom));
            svg.viewBox.baseVal.height = Math.max(svg.viewBox.baseVal.height, 150);
            const column = wide / bins;
            const targets = () => links.flatMap((link, i) => link.load.map((load, bin) => ({
                x: area.left + (bin + 0.5) * column, y: area.top + (i + 0.5) * row, width: column, height: row, title: link.link, group: i,
                lines: () => [["level", levels[link.level].name], ["from", formatSeconds(bin * contention.bin_s)], ["to", formatSeconds(Math.min((bin + 1) * contention.bin_s, contention.time_s))], ["used", formatPercent(load)], ["bandwidth", formatRate(link.bandwidth_bytes_per_s)]],
            })));
            return { svg, targets, csv: [["link", "level", ...Array.from({ length: bins }, (_, bin) => bin * contention.bin_s)], ...links.map((link) => [link.link, levels[link.level].name, ...link.load])] };
        },
    });
    box.redraw = made.redraw;
    return made;
}

function linksOfRounds(contention) {
    const rounds = contention.load_of_rounds;
    const of = contention.column_rounds;
    const carried = contention.levels.map((_, level) => level).filter((level) => rounds.some((loads) => loads[level] > 0));
    if (carried.length === 0) return null;
    return figure({
        title: "The fullest link in each round", name: "links-of-rounds", axes: {}, log: { x: false, y: false },
        caption: "Load is the bandwidth that the messages of one round could use, each that of its route, divided by the link's own; beyond 1 they slow each other." + (of > 1 ? ` A point stands for ${of} rounds and shows the fullest.` : ""),
        draw: (state, redraw) => lineChart({
            title: "The fullest link in each round", subtitle: "the fullest link of each level",
            series: carried.map((level, i) => ({
                name: contention.levels[level].name, style: i, plain: rounds.length > 60,
                points: rounds.map((loads, k) => ({ x: k * of, y: loads[level], lines: [["round", of > 1 ? `${k * of} to ${Math.min((k + 1) * of, contention.rounds) - 1}` : k], ["load", digits(loads[level], 5)]] })),
            })),
            x: { kind: "count", log: false, label: "round", zero: true }, y: { kind: "ratio", log: false, zero: true, label: "load" },
            csv: [["round", ...carried.map((level) => contention.levels[level].name)], ...rounds.map((loads, k) => [k * of, ...carried.map((level) => loads[level])])],
        }, state, redraw),
    });
}

function linkTable(links, run) {
    const columns = [{ name: "link", heading: "link", kind: "word" }, { name: "share", heading: "share of time", kind: "share" }, { name: "bytes", heading: "bytes", kind: "bytes" }, { name: "messages", heading: "messages", kind: "count" },
        { name: "most_in_round", heading: "at most in a round", kind: "count" }, { name: "bandwidth_bytes_per_s", heading: "bandwidth", kind: "rate" }];
    return dataTable({ name: "Links", columns, count: links.length, cell: (row, i) => (i === 1 ? links[row].bytes / links[row].bandwidth_bytes_per_s / run.time_s : links[row][columns[i].name]) });
}
