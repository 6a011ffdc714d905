/* sweep.js - the report of a results file. */
"use strict";

const SETTING_NAMES = {
    collective: "collective", platform: "platform", platform_hash: "platform hash", ppn: "ranks per host", placement: "placement", engine: "engine",
    engine_options: "engine options", progress: "overlap rule", root: "root", ports: "ports", element_bytes: "element", counts: "counts",
};
function settingName(column) {
    return SETTING_NAMES[column] || column.replaceAll("_", " ");
}

/* Times of MPI programs were measured; those of engines are simulated, or computed by a cost model. */
function timeWord(setting) {
    return `${setting ? setting.how : "simulated"} time`;
}

/* The parameters in which settings differ; the hash of a platform only if its name doesn't tell. */
function differing(settings) {
    const names = settings.length > 0 ? Object.keys(settings[0].values) : [];
    const differ = (of) => unique(settings.map((setting) => String(of(setting.values)))).length;
    return names.filter((name) => differ((values) => values[name]) > 1 &&
        (name !== "platform_hash" || differ((values) => values.platform) < differ((values) => values.platform + " " + values.platform_hash)));
}
function settingText(setting, names) {
    return names.map((name) => (["collective", "platform"].includes(name) ? setting.values[name] : `${settingName(name)} ${setting.values[name]}`)).join(", ");
}

/* ---- Choosing a setting: by collective, platform, and what else differs ---- */

function settingChooser(settings, changed) {
    const names = differing(settings);
    const order = ["collective", "platform"].filter((name) => names.includes(name));
    const rest = names.filter((name) => !order.includes(name));
    const textOf = { rest: (setting) => settingText(setting, rest) };
    for (const name of order) textOf[name] = (setting) => String(setting.values[name]);
    const levels = rest.length > 0 ? [...order, "rest"] : order;
    const box = el("div", { class: "controls" });
    let current = 0;
    const draw = () => {
        let left = settings.map((_, i) => i);
        box.replaceChildren(...levels.map((level) => {
            const here = left;
            const options = unique(here.map((i) => textOf[level](settings[i]))).map((string) => ({ value: string, text: string }));
            const chosen = textOf[level](settings[current]);
            left = left.filter((i) => textOf[level](settings[i]) === chosen);
            return choice(level === "rest" ? "setting" : level, options, chosen, (wanted) => {
                /* Keeps as much of the other choices as there are points for. */
                const fits = here.filter((i) => textOf[level](settings[i]) === wanted);
                const score = (i) => levels.filter((other) => textOf[other](settings[i]) === textOf[other](settings[current])).length;
                current = fits.reduce((best, i) => (score(i) > score(best) ? i : best), fits[0]);
                draw();
                changed(current);
            });
        }));
    };
    if (settings.length > 1) draw();
    return box;
}

/* ---- Figures ---- */

function sweepFigures(data, parent) {
    const box = el("div", { class: "figures" });
    const setting = { index: 0 };
    const curvesOf = () => data.curves.filter((curve) => curve.setting === setting.index);
    const draw = () => {
        const values = data.settings[setting.index].values;
        const view = {
            data, setting: data.settings[setting.index], index: setting.index, curves: curvesOf(),
            where: [values.collective, values.platform, `engine ${values.engine}`, values.progress].join(", "),
            timeWord: timeWord(data.settings[setting.index]),
        };
        view.algorithms = unique(view.curves.map((curve) => curve.algorithm)).sort((a, b) => (b === data.focus) - (a === data.focus) || (a < b ? -1 : 1));
        view.styles = stylesOf(data.colours, view.algorithms);
        box.replaceChildren();
        for (const [what, make] of [["Best algorithms", winnerFigure], ["Time against m", timeOverBytes], ["Time against n", timeOverBlocks],
            ["Best n", bestBlocks], ["The heat map", heatFigure], ["Regret", regretFigure]])
            attempt(box, what, () => make(view));
    };
    parent.append(settingChooser(data.settings, (index) => {
        setting.index = index;
        draw();
    }), box);
    draw();
}

/* An algorithm has the same style in all settings, that of its figures for papers; of ten or fewer no two have the same. */
function stylesOf(order, algorithms) {
    const taken = new Set(), place = (algorithm) => order.indexOf(algorithm.replace(/:g=.*/, ""));
    return new Map([...algorithms].sort((a, b) => place(a) - place(b)).map((algorithm) => {
        let style = place(algorithm) % STYLES.length;
        for (let i = 0; i < STYLES.length && taken.has(style); i++) style = (style + 1) % STYLES.length;
        taken.add(style);
        return [algorithm, style];
    }));
}
function middle(values) {
    return Math.floor((values.length - 1) / 2);
}
function bestOf(curve) {
    let best = 0;
    for (let i = 1; i < curve.n.length; i++)
        if (curve.time_s[i] < curve.time_s[best]) best = i;
    return { n: curve.n[best], time_s: curve.time_s[best], index: best };
}
/* Those with an n to choose. */
function pipelined(view) {
    return view.algorithms.filter((algorithm) => view.curves.some((curve) => curve.algorithm === algorithm && curve.n.length > 1));
}
function spreadLines(curve) {
    return isNumber(curve.low_s) && isNumber(curve.high_s) ? [["copies", `${formatSeconds(curve.low_s)} to ${formatSeconds(curve.high_s)}`]] : [];
}
function boundLines(curve, time_s) {
    return isNumber(curve.bound_s) && curve.bound_s > 0 ? [["bound", formatSeconds(curve.bound_s)], ["time / bound", digits(time_s / curve.bound_s, 5)]] : [];
}

/* The best algorithm for each p and m. */
function winnerFigure(view) {
    const table = view.data.tables.decision;
    const at = Object.fromEntries(table.columns.map((column, i) => [column.name, i + 1]));
    const rows = table.rows.filter((row) => row[0] === view.index);
    const [ps, ms] = [ascending(rows.map((row) => row[at.p])), ascending(rows.map((row) => row[at.m_bytes]))];
    const found = new Map(rows.map((row) => [row[at.p] + "/" + row[at.m_bytes], row]));
    const winners = view.algorithms.filter((algorithm) => rows.some((row) => row[at.choice] === algorithm));
    const cellOf = (p, m) => {
        const row = found.get(p + "/" + m);
        if (!row) return null;
        const lead = row[at.lead];
        return {
            style: view.styles.get(row[at.choice]) ?? 0, text: row[at.blocks] > 1 ? row[at.blocks] : "", pale: row[at.tie] === "tie" || (isNumber(lead) && lead < 1.05),
            title: `${row[at.choice]}, n = ${row[at.blocks]}`,
            lines: [["p", p], ["m", formatBytes(m)], [view.timeWord, formatSeconds(row[at.time_s], 9)], ["next best", row[at.next_best] === null ? "-" : `${row[at.next_best]}, n = ${row[at.next_best_blocks]}`],
                ["its time", formatSeconds(row[at.next_best_s], 9)], ["lead", digits(lead, 5)], ["bound", formatSeconds(row[at.bound_s], 6)], ["time / bound", digits(row[at.of_bound], 5)]],
        };
    };
    return figure({
        title: "Best algorithm and n for each p and m", name: "best-algorithm", wide: ms.length > 8,
        caption: "The colour is the fastest algorithm of those that were run, each at its best n; the number is n, if more than 1. Pale cells are won by less than 5 %, or are ties.",
        draw: () => (rows.length === 0 ? "There are no points in this setting." : categoryMap({
            width: ms.length > 8 ? WIDE : undefined, title: "Best algorithm", subtitle: view.where, columns: ms.map(formatBytes), xLabel: "message size m", yLabel: "number of ranks p",
            rows: ps.map((p) => ({ label: String(p), cells: ms.map((m) => cellOf(p, m)) })),
            key: winners.map((algorithm) => ({ name: algorithm, style: view.styles.get(algorithm) })),
            csv: [["p", "m_bytes", "choice", "blocks", "time_s"], ...rows.map((row) => [row[at.p], row[at.m_bytes], row[at.choice], row[at.blocks], row[at.time_s]])],
        })),
    });
}

function timeOverBytes(view) {
    const ps = ascending(view.curves.map((curve) => curve.p));
    const many = ps.filter((p) => unique(view.curves.filter((curve) => curve.p === p).map((curve) => curve.m_bytes)).length > 1);
    const values = many.length > 0 ? many : ps;
    let p = values[values.length - 1];
    const box = {};
    const made = figure({
        title: "Time against m, at the best n", name: "time-m", axes: { x: "m", y: "time" },
        caption: "The dashed grey line is the bound, which no algorithm can beat on this platform, where it is known. Click an algorithm in the key to hide or show it.",
        controls: [slider("p", values, values.length - 1, String, (value) => { p = value; box.redraw(); })],
        draw: (state, redraw) => {
            const curves = view.curves.filter((curve) => curve.p === p && !(state.log.x && curve.m_bytes === 0));
            const sizes = ascending(curves.map((curve) => curve.m_bytes));
            const series = view.algorithms.filter((algorithm) => curves.some((curve) => curve.algorithm === algorithm)).map((algorithm) => ({
                name: algorithm, style: view.styles.get(algorithm),
                points: curves.filter((curve) => curve.algorithm === algorithm).map((curve) => {
                    const best = bestOf(curve);
                    return {
                        x: curve.m_bytes, y: best.time_s, low: curve.low_s, high: curve.high_s,
                        lines: [["p", p], ["m", formatBytes(curve.m_bytes)], ["best n", best.n], [view.timeWord, formatSeconds(best.time_s, 9)],
                            ...spreadLines(curve), ...boundLines(curve, best.time_s)],
                    };
                }),
            }));
            const bounds = sizes.map((m) => curves.find((curve) => curve.m_bytes === m && isNumber(curve.bound_s))).filter(Boolean);
            if (bounds.length > 0)
                series.push({
                    name: "bound", grey: "#888888", dashed: "6 5", plain: true,
                    points: bounds.map((curve) => ({ x: curve.m_bytes, y: curve.bound_s, lines: [["p", p], ["m", formatBytes(curve.m_bytes)], ["no algorithm takes less than", formatSeconds(curve.bound_s, 9)]] })),
                });
            if (curves.length === 0) return "There are no points in this setting.";
            return lineChart({
                title: "Time against m", subtitle: `p = ${p}, ${view.where}`, part: `p${p}`, series,
                x: { kind: "bytes", log: state.log.x, label: "message size m", values: sizes }, y: { kind: "seconds", log: state.log.y, label: view.timeWord },
                csv: [["algorithm", "p", "m_bytes", "n", "time_s", "bound_s"], ...curves.map((curve) => [curve.algorithm, p, curve.m_bytes, bestOf(curve).n, bestOf(curve).time_s, curve.bound_s])],
            }, state, redraw);
        },
    });
    box.redraw = made.redraw;
    return made;
}

/* A figure of one algorithm and one m, which the reader chooses: draw gets the curves that have several
 * n. */
function figureOfOne(view, about, draw) {
    const algorithms = pipelined(view);
    if (algorithms.length === 0) return null;
    let algorithm = algorithms[0];
    const sizes = ascending(view.curves.filter((curve) => curve.n.length > 1).map((curve) => curve.m_bytes));
    let m = sizes[middle(sizes)];
    const box = {};
    const made = figure({
        ...about,
        controls: [choice("algorithm", algorithms.map((name) => ({ value: name, text: name })), algorithm, (value) => { algorithm = value; box.redraw(); }),
            slider("m", sizes, middle(sizes), formatBytes, (value) => { m = value; box.redraw(); })],
        draw: (state, redraw) => {
            const curves = view.curves.filter((curve) => curve.algorithm === algorithm && curve.m_bytes === m && curve.n.length > 1);
            if (curves.length === 0) return `${algorithm} was run with one n only at m = ${formatBytes(m)}.`;
            return draw(curves, algorithm, m, state, redraw);
        },
    });
    box.redraw = made.redraw;
    return made;
}

function timeOverBlocks(view) {
    return figureOfOne(view, {
        title: "Time against n", name: "time-n", axes: { x: "n", y: "time" },
        caption: "A ring marks the best n of those that were run.",
    }, (curves, algorithm, m, state, redraw) => {
        const ps = thin(ascending(curves.map((curve) => curve.p)), 10);
        return lineChart({
            title: "Time against n", subtitle: `${algorithm}, m = ${formatBytes(m)}, ${view.where}`, part: `${algorithm}-m${formatBytes(m)}`,
            caption: "A ring marks the best n of those that were run." + (ps.length < curves.length ? ` ${ps.length} of ${curves.length} p are shown.` : ""),
            series: curves.filter((curve) => ps.includes(curve.p)).map((curve, i) => {
                const best = bestOf(curve);
                return {
                    name: `p = ${curve.p}`, style: i, plain: curve.n.length > 60,
                    points: curve.n.map((n, k) => ({
                        x: n, y: curve.time_s[k], best: k === best.index, title: `${algorithm}, n = ${n}`,
                        lines: [["p", curve.p], ["m", formatBytes(m)], [view.timeWord, formatSeconds(curve.time_s[k], 9)], ["over the best n's", digits(curve.time_s[k] / best.time_s, 5)],
                            ["best n", best.n], ["closed form's n", curve.closed_n ?? "-"], ...boundLines(curve, curve.time_s[k])],
                    })),
                };
            }),
            x: { kind: "count", log: state.log.x, label: "number of blocks n" }, y: { kind: "seconds", log: state.log.y, label: view.timeWord },
            csv: [["algorithm", "p", "m_bytes", "n", "time_s"], ...curves.flatMap((curve) => curve.n.map((n, k) => [algorithm, curve.p, m, n, curve.time_s[k]]))],
        }, state, redraw);
    });
}

/* Against p with a slider for m, or against m with a slider for p: the chosen one in colour, with the
 * closed form, the others pale. */
function bestBlocks(view) {
    const algorithms = pipelined(view);
    if (algorithms.length === 0) return null;
    const curves = view.curves.filter((curve) => curve.n.length > 1 && curve.m_bytes > 0);
    const ps = ascending(curves.map((curve) => curve.p));
    const ms = ascending(curves.map((curve) => curve.m_bytes));
    const chosen = { algorithm: algorithms[0], over: ps.length > 1 || ms.length < 2 ? "p" : "m", p: ps[ps.length - 1], m_bytes: ms[middle(ms)] };
    const box = {};
    const change = (name) => (value) => {
        chosen[name] = value;
        box.redraw();
    };
    const made = figure({
        title: "Best number of blocks n", name: "best-n", axes: { x: "p or m", y: "n" },
        controls: [choice("algorithm", algorithms.map((name) => ({ value: name, text: name })), chosen.algorithm, change("algorithm")),
            choice("against", [{ value: "p", text: "p, for one m" }, { value: "m", text: "m, for one p" }], chosen.over, change("over")),
            slider("m", ms, middle(ms), formatBytes, (value) => { chosen.m_bytes = value; chosen.over = "p"; box.over(); box.redraw(); }),
            slider("p", ps, ps.length - 1, String, (value) => { chosen.p = value; chosen.over = "m"; box.over(); box.redraw(); })],
        draw: (state, redraw) => {
            const own = curves.filter((curve) => curve.algorithm === chosen.algorithm);
            const [over, by] = chosen.over === "p" ? ["p", "m_bytes"] : ["m_bytes", "p"];
            const name = (value) => (by === "p" ? `p = ${value}` : `m = ${formatBytes(value)}`);
            const pointsOf = (value) => own.filter((curve) => curve[by] === value).map((curve) => {
                const best = bestOf(curve);
                return { x: curve[over], y: best.n, curve, title: `${chosen.algorithm}: best n = ${best.n}`,
                    lines: [["p", curve.p], ["m", formatBytes(curve.m_bytes)], [view.timeWord, formatSeconds(best.time_s, 9)], ["closed form's n", curve.closed_n ?? "-"], ["n that were run", `${curve.n.length}: ${curve.n[0]} to ${curve.n[curve.n.length - 1]}`]] };
            });
            const others = ascending(own.map((curve) => curve[by])).filter((value) => value !== chosen[by]);
            const points = pointsOf(chosen[by]);
            if (own.length === 0) return "There are no points in this setting.";
            const closed = points.filter((point) => isNumber(point.curve.closed_n)).map((point) => ({ x: point.x, y: point.curve.closed_n, title: `closed form: n = ${point.curve.closed_n}`,
                lines: [["p", point.curve.p], ["m", formatBytes(point.curve.m_bytes)], ["its time by the formula", formatSeconds(point.curve.closed_s)]] }));
            return lineChart({
                title: "Best n", subtitle: `${chosen.algorithm}, ${name(chosen[by])}, ${view.where}`, part: `${chosen.algorithm}-${name(chosen[by])}`,
                caption: "In colour the size or number of ranks that the slider chooses, with the best n of the closed form (dashed); pale all others.",
                series: [...thin(others, 30).map((value) => ({ name: name(value), grey: "#b9c2ca", points: pointsOf(value), quiet: others.length > 12 })),
                    ...(closed.length > 0 ? [{ name: "closed form", style: 1, dashed: "7 4", points: closed }] : []),
                    { name: name(chosen[by]), style: 0, points }],
                x: over === "p" ? { kind: "count", log: state.log.x, label: "number of ranks p", values: ascending(own.map((curve) => curve.p)) }
                    : { kind: "bytes", log: state.log.x, label: "message size m", values: ascending(own.map((curve) => curve.m_bytes)) },
                y: { kind: "count", log: state.log.y, label: "best n" },
                csv: [["algorithm", "p", "m_bytes", "best_n", "time_s", "closed_n"], ...own.map((curve) => [curve.algorithm, curve.p, curve.m_bytes, bestOf(curve).n, bestOf(curve).time_s, curve.closed_n])],
            }, state, redraw);
        },
    });
    const over = made.querySelector('select[aria-label="against"]');
    box.redraw = made.redraw;
    box.over = () => { over.selectedIndex = chosen.over === "p" ? 0 : 1; };
    return made;
}

/* Time over n and p by that of each p's best n; a cell reaches half way to its neighbours. */
function heatFigure(view) {
    return figureOfOne(view, { title: "Time over n and p", name: "heat", axes: { x: "n" } }, (curves, algorithm, m, state) => {
        curves.sort((a, b) => a.p - b.p);
        const most = Math.min(8, Math.max(1.05, ...curves.map((curve) => Math.max(...curve.time_s) / bestOf(curve).time_s)));
        const share = (ratio) => 1 - Math.log(Math.min(ratio, most)) / Math.log(most);
        const ticks = (most > 4 ? [1, 1.5, 2, 3, 4, 6, 8] : most > 2 ? [1, 1.25, 1.5, 2, 3, 4] : [1, 1.02, 1.05, 1.1, 1.2, 1.5, 2]).filter((ratio) => ratio <= most * 1.0001);
        const between = state.log.x ? (a, b) => Math.sqrt(a * b) : (a, b) => (a + b) / 2;
        const beyond = state.log.x ? (here, edge) => (here * here) / edge : (here, edge) => Math.max(0, 2 * here - edge);
        return heatMap({
            title: "Time over n and p", subtitle: `${algorithm}, m = ${formatBytes(m)}, ${view.where}`, part: `${algorithm}-m${formatBytes(m)}`,
            caption: `The colour is the ${view.timeWord} divided by that with the best n of the same p, which has a ring.` + (most === 8 ? " Ratios of 8 and more have one colour." : ""),
            x: { kind: "count", log: state.log.x, label: "number of blocks n" }, yLabel: "number of ranks p", colours: VIRIDIS,
            bar: { label: "time / time with the best n", ticks: ticks.map((ratio) => ({ share: share(ratio), text: ratio === 8 ? "8+" : String(ratio) })) },
            rows: curves.map((curve) => {
                const best = bestOf(curve);
                const edges = curve.n.slice(1).map((n, k) => between(curve.n[k], n));
                const last = curve.n.length - 1;
                return {
                    label: String(curve.p),
                    cells: curve.n.map((n, k) => ({
                        at: n, from: k > 0 ? edges[k - 1] : beyond(n, edges[0]), to: k < last ? edges[k] : beyond(n, edges[last - 1]),
                        share: share(curve.time_s[k] / best.time_s), best: k === best.index, title: `p = ${curve.p}, n = ${n}`,
                        lines: [["m", formatBytes(m)], [view.timeWord, formatSeconds(curve.time_s[k], 9)], ["over the best n's", digits(curve.time_s[k] / best.time_s, 5)], ["best n", best.n], ["closed form's n", curve.closed_n ?? "-"]],
                    })),
                };
            }),
            csv: [["algorithm", "p", "m_bytes", "n", "time_s", "time_over_best"], ...curves.flatMap((curve) => curve.n.map((n, k) => [algorithm, curve.p, m, n, curve.time_s[k], curve.time_s[k] / bestOf(curve).time_s]))],
        });
    });
}

function regretFigure(view) {
    const table = view.data.tables.regret;
    const at = Object.fromEntries(table.columns.map((column, i) => [column.name, i + 1]));
    const rows = table.rows.filter((row) => row[0] === view.index && row[at.regret] !== null);
    if (rows.length === 0) return null;
    const fitted = rows[0];
    const ps = ascending(rows.map((row) => row[at.p]));
    const [over, by] = ps.length > 1 ? ["p", "m_bytes"] : ["m_bytes", "p"];
    const name = (value) => (by === "p" ? `p = ${value}` : `m = ${formatBytes(value)}`);
    return figure({
        title: `Regret of the rule for n with ${fitted[at.constant]} = ${digits(fitted[at.f], 4)}`, name: "regret", axes: { x: over === "p" ? "p" : "m" },
        caption: `n = sqrt(M ceil(log2 p)) / ${fitted[at.constant]}, M = m in elements. Regret is how much longer the rule's n takes than the best n that was run; below 0 the rule's n, which was interpolated, is faster.`,
        draw: (state, redraw) => {
            const values = thin(ascending(rows.map((row) => row[at[by]])), 10);
            return lineChart({
                title: "Regret", subtitle: `${fitted[at.algorithm]}, ${fitted[at.constant]} = ${digits(fitted[at.f], 6)}, ${view.where}`,
                series: values.map((value, i) => ({
                    name: name(value), style: i,
                    points: rows.filter((row) => row[at[by]] === value).sort((a, b) => a[at[over]] - b[at[over]]).map((row) => ({
                        x: row[at[over]], y: row[at.regret], title: `regret ${formatPercent(row[at.regret])}`,
                        lines: [["p", row[at.p]], ["m", formatBytes(row[at.m_bytes])], ["n of the rule", row[at.blocks]], ["its time", formatSeconds(row[at.time_s], 9)], ["best n", row[at.best_blocks]], ["its time", formatSeconds(row[at.best_s], 9)],
                            [`analytic ${row[at.constant]}`, digits(row[at.analytic_f], 5)]],
                    })),
                })),
                x: over === "p" ? { kind: "count", log: state.log.x, label: "number of ranks p", values: ps } : { kind: "bytes", log: state.log.x, label: "message size m", values: ascending(rows.map((row) => row[at.m_bytes])) },
                y: { kind: "share", log: false, zero: true, label: "regret" },
                csv: [["p", "m_bytes", "blocks", "time_s", "best_blocks", "best_s", "regret"], ...rows.map((row) => [row[at.p], row[at.m_bytes], row[at.blocks], row[at.time_s], row[at.best_blocks], row[at.best_s], row[at.regret]])],
            }, state, redraw);
        },
    });
}

/* ---- Tables ---- */

/* A table of tune: the columns in which settings differ come first. */
function tuneTable(data, table, name) {
    const names = differing(data.settings);
    const columns = [...names.map((column) => ({ name: column, heading: settingName(column), kind: typeof data.settings[0].values[column] === "number" ? "whole" : "word" })), ...table.columns];
    return dataTable({
        name, columns, count: table.rows.length,
        cell: (row, i) => {
            const cells = table.rows[row];
            return i >= names.length ? cells[i - names.length + 1] : cells[0] < 0 ? (names[i] === "platform" ? "all" : null) : data.settings[cells[0]].values[names[i]];
        },
    });
}

const POINT_KINDS = {
    m_bytes: "bytes", element_bytes: "bytes", moved_bytes: "bytes", time_s: "seconds", alpha_s: "seconds", closed_form_s: "seconds", bound_s: "seconds",
    time_low_s: "seconds", time_high_s: "seconds", old_s: "seconds", new_s: "seconds", beta_s_per_byte: "real", uncontended: "truth",
    ...Object.fromEntries(["ratio", "mean", "least", "quartile_1", "median", "quartile_3", "most"].map((name) => [name, "ratio"])),
};
/* Rows by columns, as the file has them: a column whose values are all equal is named above. */
function columnTable(name, stored, wanted) {
    const value = (column, row) => ("same" in column ? column.same : column.values[row]);
    const count = stored.count;
    const chosen = Array.from({ length: count }, (_, i) => i).filter((row) => wanted === undefined || wanted((column) => value(stored.columns.find((other) => other.name === column), row)));
    const same = (column) => chosen.length > 1 && chosen.every((row) => value(column, row) === value(column, chosen[0]));
    const [equal, varying] = [stored.columns.filter(same), stored.columns.filter((column) => !same(column))];
    const isText = (column) => chosen.some((row) => typeof value(column, row) === "string");
    return el("div", {}, equal.length > 0 ? el("p", { class: "small pale" }, "Equal in all rows: ", equal.filter((column) => value(column, chosen[0]) !== null && value(column, chosen[0]) !== "").map((column) => `${column.name} ${value(column, chosen[0])}`).join(", "), ".") : null,
        dataTable({
            name, count: chosen.length,
            columns: varying.map((column) => ({ name: column.name, heading: column.name, kind: isText(column) ? "word" : POINT_KINDS[column.name] || "whole", long: column.name === "error" })),
            cell: (row, i) => value(varying[i], chosen[row]),
        }));
}

function leftOut(shown, total, what) {
    return shown < total ? note(`Only ${formatCount(shown)} of ${formatCount(total)} ${what} are in this page. Choose with -p, -m, --platform and the other filters of roundabout report, or ask the results file itself.`) : null;
}

function sweepTables(data, parent) {
    const { decision, best, regret, fit } = data.tables;
    if (decision && decision.total > 0) {
        parent.append(el("h3", {}, "Best algorithm and n for each p and m"));
        attempt(parent, "The table", () => tuneTable(data, decision, "Best algorithm and n"));
        parent.append(leftOut(decision.rows.length, decision.total, "rows") || "");
    }
    for (const [title, table] of [["Best n of each algorithm", best], [fit && fit.title, fit], ["Regret of F or G, worst first", regret]])
        if (table && table.total > 0)
            parent.append(folded(`${title} (${formatCount(table.total)})`, () => el("div", {}, leftOut(table.rows.length, table.total, "rows"), tuneTable(data, table, title)), table === fit));
    parent.append(folded(`All points, with all their columns (${formatCount(data.points.total)})`,
        () => el("div", {}, leftOut(data.points.count, data.points.total, "points"), columnTable("Points", data.points))));
}

function columnOf(stored, name) {
    const column = stored.columns.find((other) => other.name === name);
    return (row) => (column === undefined ? null : "same" in column ? column.same : column.values[row]);
}

/* ---- A comparison with an older file ---- */

/* New times over old ones against m: of the n of each algorithm the geometric mean, and bars from the least to the
 * most. */
function ratioFigure(points) {
    const [algorithm, platform, p, m, ratio] = ["algorithm", "platform", "p", "m_bytes", "ratio"].map((name) => columnOf(points, name));
    const rows = Array.from({ length: points.count }, (_, i) => i).filter((row) => isNumber(ratio(row)) && ratio(row) > 0);
    if (rows.length === 0) return null;
    const [platforms, ps] = [unique(rows.map(platform)).sort(), ascending(rows.map(p))];
    const chosen = { platform: platform(rows[0]), p: p(rows[0]) }; /* which got slower most */
    const algorithms = unique(rows.map(algorithm)).sort();
    const box = {};
    const change = (name) => (value) => {
        chosen[name] = value;
        box.redraw();
    };
    const made = figure({
        title: "New time over old", name: "ratio-m", axes: { x: "m", y: "ratio" },
        caption: "Above 1 the newer file is slower. A point is the geometric mean over n and all else that was run; the bar is from the least to the most.",
        controls: [platforms.length > 1 ? choice("platform", platforms.map((value) => ({ value, text: value })), chosen.platform, change("platform")) : null,
            slider("p", ps, ps.indexOf(chosen.p), String, change("p"))],
        draw: (state, redraw) => {
            const here = rows.filter((row) => platform(row) === chosen.platform && p(row) === chosen.p && !(state.log.x && m(row) === 0));
            if (here.length === 0) return "There are no points in both for this platform and p.";
            const sizes = ascending(here.map(m));
            const pointOf = (name, size) => {
                const ratios = here.filter((row) => algorithm(row) === name && m(row) === size).map(ratio);
                const y = Math.exp(ratios.reduce((sum, value) => sum + Math.log(value), 0) / ratios.length);
                const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
                return ratios.length === 0 ? null : { x: size, y, low, high, lines: [["p", chosen.p], ["m", formatBytes(size)], ["new / old", digits(y, 5)], ["least", digits(low, 5)], ["most", digits(high, 5)], ["points", ratios.length]] };
            };
            const series = algorithms.map((name, i) => ({ name, style: i, points: sizes.map((size) => pointOf(name, size)).filter(Boolean) })).filter((one) => one.points.length > 0);
            return lineChart({
                title: "New time over old", subtitle: `p = ${chosen.p}, ${chosen.platform}`, part: `p${chosen.p}`, series,
                x: { kind: "bytes", log: state.log.x, label: "message size m", values: sizes }, y: { kind: "ratio", log: state.log.y, label: "new time / old" },
                csv: [["algorithm", "p", "m_bytes", "mean", "least", "most"], ...series.flatMap((one) => one.points.map((point) => [one.name, chosen.p, point.x, point.y, point.low, point.high]))],
            }, state, redraw);
        },
    });
    box.redraw = made.redraw;
    return made;
}

function comparisonParts(comparison, parent) {
    const { groups, points, changes, only_values: values } = comparison;
    parent.append(el("p", {}, `${comparison.new}, the newer file, against ${comparison.old}. The newer file is shown in the rest of this page.`),
        el("div", { class: "tiles" }, tile(formatCount(comparison.both), "points in both"), tile(formatCount(comparison.slower), `slower by more than ${digits(100 * comparison.allow, 4)} %`),
            tile(formatCount(comparison.faster), "faster by more than that"), tile(formatCount(comparison.only_old), "only in the older file"), tile(formatCount(comparison.only_new), "only in the newer file")));
    attempt(parent, "The figure", () => el("div", { class: "figures one" }, ratioFigure(points)));
    parent.append(el("h3", {}, "New time over old, by algorithm and platform: geometric mean and spread"));
    attempt(parent, "The table", () => columnTable("Groups", groups));
    for (const [title, table] of [["What changed", changes], ["Values that only one of the files has", values]])
        if (table.count > 0)
            parent.append(folded(`${title} (${formatCount(table.total)})`, () => columnTable(title, table), true));
    parent.append(folded(`All points that are in both, those that got slower most first (${formatCount(points.total)})`,
        () => el("div", {}, leftOut(points.count, points.total, "points"), columnTable("Compared points", points))));
}

/* ---- The page ---- */

/* ---- Figures beside the page ---- */

/* Thumbnails that lead to the pictures: of those that a browser shows the first. */
function drawnFigures(drawn) {
    return el("div", { class: "thumbnails" }, drawn.map((figure) => {
        const file = (ending) => encodeURIComponent(figure.name) + ending;
        const shown = figure.endings.find((ending) => [".png", ".svg"].includes(ending));
        return el("figure", {}, shown && el("a", { href: file(shown), class: "sheet" }, el("img", { src: file(shown), alt: figure.title, loading: "lazy" })),
            el("figcaption", {}, el("b", {}, figure.label), ` ${figure.title} `,
                figure.endings.map((ending) => [el("a", { href: file(ending) }, ending.replace(/^[.-]/, "")), " "])));
    }));
}

function sweepReport(data) {
    const status = columnOf(data.points, "status");
    const rows = Array.from({ length: data.points.count }, (_, i) => i);
    const failed = rows.filter((row) => status(row) !== "done").length;
    const collectives = unique(data.settings.map((setting) => setting.values.collective));
    const platforms = unique(rows.map(columnOf(data.points, "platform")));
    const base = data.results.split("/").pop();
    pageHead(`${base}: ${collectives.length > 0 ? collectives.join(", ") : "failed points"} on ${platforms.slice(0, 4).join(", ")}${platforms.length > 4 ? ", …" : ""}`,
        "A sweep's points as tables and figures. Point at a figure, or focus it and use the arrow keys, for exact values.");

    section("overview", "Overview", () => {
        const ps = ascending(data.curves.map((curve) => curve.p));
        const ms = ascending(data.curves.map((curve) => curve.m_bytes));
        const algorithms = unique(data.curves.map((curve) => curve.algorithm)).length;
        const span = (values, format) => (values.length === 0 ? "-" : values.length === 1 ? format(values[0]) : `${format(values[0])} to ${format(values[values.length - 1])}`);
        return el("div", {}, el("div", { class: "tiles" },
            tile(formatCount(data.points.total), "points"), tile(formatCount(data.failed), "of them failed"),
            tile(formatCount(algorithms), algorithms === 1 ? "algorithm" : "algorithms"), tile(formatCount(platforms.length), platforms.length === 1 ? "platform" : "platforms"),
            tile(span(ps, String), `ranks p (${ps.length})`), tile(span(ms, formatBytes), `message size m (${ms.length})`)),
        verdictOf(data.verdict), data.notes.map((text) => el("p", { class: "small" }, text)),
        leftOut(data.curves.length, data.curve_total, "curves of time over n"), leftOut(data.points.count, data.points.total, "points"));
    });
    if (data.drawn && data.drawn.length > 0)
        section("drawn", "For papers", () => drawnFigures(data.drawn));
    if (data.comparison)
        section("comparison", "Comparison", (parent) => comparisonParts(data.comparison, parent));
    if (data.curves.length > 0)
        section("figures", "Figures", (parent) => sweepFigures(data, parent));
    if (failed > 0)
        section("failed", "Failed points", () => el("div", {}, el("p", {}, `${formatCount(failed)} points have no time; roundabout sweep tries them again.`),
            columnTable("Failed points", data.points, (get) => get("status") !== "done")));
    section("tables", "Tables", (parent) => sweepTables(data, parent));
    section("provenance", "Provenance", () => sweepProvenance(data, rows));
}

function sweepProvenance(data, rows) {
    const of = (name) => unique(rows.map(columnOf(data.points, name)).filter((value) => value !== null && value !== ""));
    const platform = columnOf(data.points, "platform");
    const hash = columnOf(data.points, "platform_hash");
    const ways = { measured: "measured by MPI programs", simulated: "simulated", computed: "computed by a cost model" };
    const how = unique(data.settings.map((setting) => setting.how));
    const box = el("div", {}, facts([
        ["results file", data.results], ["points made by", of("version").map((version) => "roundabout " + version).join(", ")],
        ["platforms, with hash", unique(rows.map((row) => `${platform(row)} (${hash(row)})`)).join(", ")], ["engines", of("engine").join(", ")],
        ["overlap rules", of("progress").join(", ")], ["placements", of("placement").join(", ")],
        ["times", how.length === 0 ? null : how.map((way) => ways[way]).join(", or ") + (how.includes("measured") ? ": the engine says which" : ", not measured")],
        ...originFacts(data.origin)]));
    const cell = (row, name) => columnOf(data.sweeps, name)(row);
    if (data.sweeps.count > 0) box.append(el("h3", {}, "Sweeps that wrote this file"));
    for (let row = 0; row < data.sweeps.count; row++)
        box.append(folded(`${cell(row, "experiment") ?? "-"}, begun ${cell(row, "started") ?? "-"}`, () => el("div", {}, facts([
            ["finished", cell(row, "finished") || "not finished"], ["version", cell(row, "version")], ["machine", cell(row, "machine")], ["shard", cell(row, "shard")], ["hash of the experiment", cell(row, "hash")]]),
        el("pre", { tabindex: 0 }, cell(row, "text") ?? ""))));
    return box;
}
