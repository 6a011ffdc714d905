/* run.js - the report of one simulated run. */
"use strict";

function runReport(data) {
    const run = data.simulated;
    const diagnosis = run.diagnosis || null;
    pageHead(`${run.collective} ${run.algorithm}, p = ${run.p}, n = ${run.n}, m = ${formatBytes(run.m_bytes)}`,
        `Simulated on ${run.platform} by the engine ${run.engine}, overlap rule ${run.progress}. All times are simulated, not measured.`);
    section("overview", "Overview", () => runOverview(run));
    if (diagnosis && diagnosis.taking_part > 0) {
        section("space-time", "Space-time", () => spaceTime(data));
        section("phases", "Phases", () => runPhases(run, diagnosis));
        section("ranks", "Ranks", () => runRanks(run, diagnosis, data.left_out || {}));
        section("path", "Critical path", () => runPath(run, diagnosis, data.left_out || {}));
    } else
        section("space-time", "Diagnosis", () => el("p", {}, diagnosis ? "There are no messages: nothing to diagnose." : "This file has no diagnosis. Run roundabout simulate with --diagnose, or with --report."));
    if ((run.links && run.links.length > 0) || data.contention)
        section("links", "Links", () => runLinks(run, data.contention, data.map));
    section("provenance", "Provenance", () => runProvenance(run, data.origin));
}

function runOverview(run) {
    return el("div", {}, el("div", { class: "tiles" },
        tile(formatSeconds(run.time_s, 6), "simulated time"),
        isNumber(run.time_over_bound) ? tile(digits(run.time_over_bound, 4), "times the bound") : null,
        isNumber(run.time_over_closed_form) ? tile(digits(run.time_over_closed_form, 5), "times the closed form") : null,
        isNumber(run.rounds) ? tile(formatCount(run.rounds), `rounds; the least is ${formatCount(run.bound_rounds)}`) : null,
        tile(formatCount(run.messages), "messages"), tile(formatBytes(run.bytes), "moved between ranks"), tile(formatSeconds(run.alpha_s, 5), "alpha, latency"),
        tile(formatRate(1 / run.beta_s_per_byte), "1 / beta, bandwidth")),
    facts([["simulated time", isNumber(run.time_s) ? `${formatSeconds(run.time_s, 12)} (${run.time_s} s)` : null],
        ["bound", isNumber(run.bound_s) ? `${formatSeconds(run.bound_s, 9)}, by ${run.bound_by}` : "not known"],
        ["closed form", isNumber(run.closed_form_s) ? formatSeconds(run.closed_form_s, 9) : "none"],
        ["volume in sequence", isNumber(run.c2) ? `${formatCount(run.c2)} blocks; the least of any plan is ${formatCount(run.bound_c2)}` : null],
        ["with jitter", run.jitter > 0 ? `${run.jitter} copies, ${formatSeconds(run.time_low_s)} to ${formatSeconds(run.time_high_s)}` : null],
        ["n", `${run.n} (${run.n_origin})`]]), verdictOf(run.verdict));
}

/* ---- Phases ---- */

const PHASE_COLOURS = { fill: STYLES[4].colour, steady: STYLES[2].colour, "never full": STYLES[7].colour, drain: STYLES[5].colour };

function runPhases(run, diagnosis) {
    const phases = diagnosis.phases;
    const columns = [{ name: "phase", heading: "phase", kind: "word" }, { name: "from_s", heading: "from", kind: "seconds" }, { name: "to_s", heading: "to", kind: "seconds" }, { name: "length", heading: "length", kind: "seconds" },
        { name: "share", heading: "share of time", kind: "share" }, { name: "rounds", heading: "rounds", kind: "count" }, { name: "utilisation", heading: "ports busy", kind: "share" }];
    const values = phases.map((phase) => ({ ...phase, length: phase.to_s - phase.from_s, share: run.time_s > 0 ? (phase.to_s - phase.from_s) / run.time_s : null }));
    return el("div", {}, el("p", {}, diagnosis.full ? "The pipeline fills until all ranks have begun, is full until the first of them is done, and drains until the end."
        : "Some ranks are done before others have begun: the pipeline is never full."),
    el("div", { class: "figures" }, figure({
        title: "Fill, steady state, drain", name: "phases",
        draw: () => barChart({
            title: "Phases", subtitle: `${run.collective} ${run.algorithm}, p = ${run.p}, n = ${run.n}, m = ${formatBytes(run.m_bytes)}, ${run.platform}`, x: { kind: "seconds", label: "simulated time" },
            bars: [{ label: "pipeline", parts: values.map((phase) => ({ value: phase.length, colour: PHASE_COLOURS[phase.phase] || "#888888", title: phase.phase,
                lines: [["from", formatSeconds(phase.from_s, 9)], ["to", formatSeconds(phase.to_s, 9)], ["length", `${formatSeconds(phase.length, 6)}, ${formatPercent(phase.share)}`], ["rounds", phase.rounds], ["ports busy", formatPercent(phase.utilisation)]] })) }],
            key: phases.map((phase) => ({ name: phase.phase, colour: PHASE_COLOURS[phase.phase] || "#888888" })),
            csv: [columns.map((column) => column.name), ...values.map((phase) => columns.map((column) => phase[column.name]))],
        }),
    }), el("div", {}, dataTable({ name: "Phases", columns, count: values.length, cell: (row, i) => values[row][columns[i].name] }))));
}

/* ---- Ranks ---- */

const USES = [["idle_s", "idle"], ["busy_s", "busy"], ["send_s", "sending"], ["recv_s", "receiving"], ["gaps_s", "idle in between"]];
const USE_TITLES = { begun_s: "begins", through_s: "is through", send_s: "sends for", recv_s: "receives for", busy_s: "is busy for", idle_s: "is idle for", gaps_s: "is idle in between for" };

function runRanks(run, diagnosis, left) {
    const ranks = diagnosis.ranks;
    const spreads = Object.entries(diagnosis.spreads);
    let by = "rank";
    const box = {};
    const made = figure({
        title: "What ranks do with their time", name: "ranks", log: { x: false, y: false }, wide: true,
        controls: [choice("ordered by", [{ value: "rank", text: "rank" }, ...USES.map(([name, title]) => ({ value: name, text: "time " + title }))], by, (value) => { by = value; box.redraw(); })],
        caption: "Idle is the simulated time less that in which the rank has at least one message in flight.",
        draw: (state, redraw) => {
            const shown = [...thin(ranks, 4096)].sort((a, b) => (by === "rank" ? a.rank - b.rank : b[by] - a[by] || a.rank - b.rank));
            return lineChart({
                width: WIDE, title: "Ranks", subtitle: `${run.collective} ${run.algorithm}, p = ${run.p}, n = ${run.n}, m = ${formatBytes(run.m_bytes)}, ${run.platform}`,
                series: USES.map(([name, title], i) => ({
                    name: title, style: i, plain: shown.length > 60,
                    points: shown.map((rank, k) => ({ x: by === "rank" ? rank.rank : k, y: rank[name], title: `rank ${rank.rank}`,
                        lines: () => [["sends, receives", `${rank.sends}, ${rank.receives}`], ...Object.entries(USE_TITLES).map(([use, words]) => [words, formatSeconds(rank[use], 6)])] })),
                })),
                x: { kind: "count", log: false, label: by === "rank" ? "rank" : "ranks, ordered", zero: true }, y: { kind: "seconds", log: false, zero: true, label: "simulated time" },
                csv: [["rank", ...Object.keys(USE_TITLES)], ...shown.map((rank) => [rank.rank, ...Object.keys(USE_TITLES).map((use) => rank[use])])],
            }, state, redraw);
        },
    });
    box.redraw = made.redraw;
    const columns = [{ name: "rank", heading: "rank", kind: "count" }, { name: "sends", heading: "sends", kind: "count" }, { name: "receives", heading: "receives", kind: "count" },
        ...Object.entries(USE_TITLES).map(([name, heading]) => ({ name, heading: heading.replace(/ for$|^is /g, ""), kind: "seconds" }))];
    return el("div", {}, el("p", {}, `${formatCount(diagnosis.taking_part)} of ${formatCount(run.p)} ranks take part; ranks are through within ${formatSeconds(diagnosis.through_skew_s, 5)} of each other, and a round's messages start within ${formatSeconds(diagnosis.start_skew_s, 5)}` + (diagnosis.start_skew_s > 0 ? ` (round ${diagnosis.start_skew_round}).` : ".")),
    left.ranks ? note(`Only ${formatCount(ranks.length)} of ${formatCount(left.ranks)} ranks are in this page, evenly chosen.`) : null,
    dataTable({ name: "Spread over ranks", count: spreads.length,
        columns: [{ name: "use", heading: "a rank", kind: "word" }, ...["least", "median", "most"].flatMap((name) => [{ name, heading: name, kind: "seconds" }, { name: name + "_rank", heading: "rank", kind: "count" }])],
        cell: (row, i) => (i === 0 ? USE_TITLES[spreads[row][0]] || spreads[row][0] : spreads[row][1][["least", "least_rank", "median", "median_rank", "most", "most_rank"][i - 1]]) }),
    el("div", { class: "figures" }, made), folded(`All ranks (${formatCount(ranks.length)})`, () => dataTable({ name: "Ranks", columns, count: ranks.length, cell: (row, i) => ranks[row][columns[i].name] })));
}

/* ---- The critical path ---- */

function runPath(run, diagnosis, left) {
    const path = diagnosis.critical_path;
    const split = isNumber(path.rest_s);
    const parts = (split ? [["alpha: latency", path.alpha_s, STYLES[0].colour], ["beta: bytes", path.beta_s, STYLES[4].colour], ["beyond them", path.rest_s, STYLES[1].colour]] : [["moving", path.moving_s, STYLES[0].colour]])
        .concat([[path.waiting_s < 0 ? "overlapping" : "waiting", path.waiting_s, STYLES[5].colour]]).map(([name, value, colour]) => ({ name, value, colour }));
    const causes = Object.entries(path.causes).filter(([, count]) => count > 0);
    const columns = [{ name: "step", heading: "step", kind: "count" }, { name: "round", heading: "round", kind: "count" }, { name: "from", heading: "from", kind: "count" }, { name: "to", heading: "to", kind: "count" }, { name: "bytes", heading: "bytes", kind: "bytes" },
        { name: "start_s", heading: "start", kind: "seconds" }, { name: "takes_s", heading: "takes", kind: "seconds" }, { name: "wait_s", heading: "waited", kind: "seconds" }, { name: "cause", heading: "not earlier for", kind: "word" }, { name: "at", heading: "at rank", kind: "count" }];
    const value = (row, i) => {
        const step = path.steps[row];
        return i === 0 ? row + 1 : columns[i].name === "takes_s" ? step.end_s - step.start_s : step[columns[i].name];
    };
    return el("div", {}, el("p", {}, `${formatCount(path.messages)} messages over ${formatCount(path.ranks)} ranks determine the simulated time.`),
        el("div", { class: "figures" }, figure({
            title: "What its time consists of", name: "critical-path",
            caption: "alpha is the latency of its messages, beta the time that their bytes take at full bandwidth; beyond them is what shared links cost.",
            draw: () => barChart({
                title: "Critical path", subtitle: `${run.collective} ${run.algorithm}, p = ${run.p}, n = ${run.n}, ${run.platform}`, x: { kind: "seconds", label: "simulated time" },
                bars: parts.map((part) => ({ label: part.name, parts: [{ value: Math.max(0, part.value), colour: part.colour, lines: [["time", formatSeconds(part.value, 9)], ["share", formatPercent(run.time_s > 0 ? part.value / run.time_s : NaN)]] }] })),
                csv: [["part", "time_s"], ...parts.map((part) => [part.name, part.value])],
            }),
        }), el("div", {}, el("h3", {}, "Why its messages did not start earlier"),
            dataTable({ name: "Causes", count: causes.length, columns: [{ name: "messages", heading: "messages", kind: "count" }, { name: "cause", heading: "cause", kind: "word" }, { name: "meaning", heading: "they", kind: "word" }],
                cell: (row, i) => [causes[row][1], causes[row][0], (CAUSE_TEXTS[causes[row][0]] || "").replace("its ranks did", "their ranks did").replaceAll("its", "their").replace("it passes", "they pass")][i] }))),
        left.steps ? note(`Only ${formatCount(path.steps.length)} of ${formatCount(left.steps)} steps are in this page, evenly chosen.`) : null,
        folded(`All its messages (${formatCount(path.steps.length)})`, () => dataTable({ name: "Critical path", columns, count: path.steps.length, cell: value })));
}

/* ---- Links, provenance ---- */

function runLinks(run, contention, map) {
    const figures = el("div", { class: "figures" });
    const box = el("div", {}, figures);
    if (map) attempt(figures, "The network", () => networkMap(map, run));
    if (run.links && run.links.length > 0) {
        attempt(figures, "The busiest links", () => linkBars(run.links, run));
        box.append(folded(`Links (${formatCount(run.links.length)})`, () => linkTable(run.links, run)));
    }
    if (contention) {
        attempt(figures, "Links over time", () => linksOverTime(contention));
        attempt(figures, "Links of rounds", () => linksOfRounds(contention));
    } else
        box.append(el("p", { class: "small pale" }, "The engine flow also knows how busy links are over time: simulate --engine flow --report."));
    if (run.fullest_link)
        box.prepend(el("p", {}, run.fullest_link.load <= 1 + 1e-9 ? "No contention: no link gets more messages of one round than it can carry at full speed."
            : `Contention: ${digits(run.fullest_link.load, 4)} times the load that ${run.fullest_link.link} can carry, ${formatCount(run.fullest_link.messages)} messages of round ${run.fullest_link.round}.`));
    return box;
}

function runProvenance(run, origin) {
    const shown = new Set(["diagnosis", "links", "finish_s", "fullest_link"]);
    const fields = Object.entries(run).filter(([name, value]) => !shown.has(name) && value !== null && value !== "" && typeof value !== "object");
    return el("div", {}, facts([["simulated by", `roundabout ${run.version}`], ["platform, with hash", `${run.platform} (${run.platform_hash})`], ["engine", run.engine + (run.variant ? `, variant ${run.variant}` : "")],
        ["overlap rule", run.progress], ["placement", run.placement], ["times", "simulated, not measured"], ...originFacts(origin)]),
    folded("All fields of simulate's JSON", () => dataTable({ name: "Fields", columns: [{ name: "field", heading: "field", kind: "word" }, { name: "value", heading: "value", kind: "word" }], count: fields.length, cell: (row, i) => (i === 0 ? fields[row][0] : String(fields[row][1])) })));
}
