/* workload.js - the report of a simulated workload: where its jobs' time goes, which step each rank does when, links. */
"use strict";

const SHARES = [["computing_s", "computing", "#b8b8b8"], ["waiting_s", "waiting", "#fde0cd"], ["moving_s", "moving", "#0072b2"], ["inside_s", "own contention", "#d55e00"], ["others_s", "other jobs", "#cc79a7"]];

function workloadReport(data) {
    const run = data.simulated;
    pageHead(run.workload, `Simulated on ${run.platform} by the engine ${run.engine}, overlap rule ${run.progress}. All times are simulated, not measured.`);
    section("overview", "Overview", () => el("div", {}, el("div", { class: "tiles" }, tile(formatSeconds(run.time_s, 6), "simulated time"), tile(formatCount(run.jobs.length), "jobs"),
        tile(formatCount(run.messages), "messages"), tile(formatBytes(run.bytes), "moved between ranks")), verdictOf(run.verdict)));
    section("jobs", "Jobs", () => workloadJobs(run));
    section("space-time", "Ranks", () => spaceTime({ simulated: run, messages: stepsAsMessages(data.steps) }));
    if (data.contention) section("links", "Links", () => runLinks(run, data.contention, data.map));
    section("provenance", "Provenance", () => runProvenance(run, data.origin));
}

/* Parts below 0, which are those of other jobs that make a job faster, are in the table only. */
function workloadJobs(run) {
    const timed = run.jobs.filter((job) => isNumber(job.time_s));
    const rows = run.jobs.flatMap((job) => [job, ...job.steps]);
    const columns = [{ name: "job", heading: "job", kind: "word" }, { name: "step", heading: "step", kind: "word" }, { name: "line", heading: "line", kind: "count" }, { name: "time_s", heading: "time", kind: "seconds" },
        ...SHARES.map(([name, heading]) => ({ name, heading, kind: "seconds" }))];
    return el("div", {}, el("div", { class: "figures" }, figure({
        title: "Where their time goes", name: "jobs",
        caption: "The parts are differences between four runs: without time for messages, with messages that share nothing, of the job alone, and of all jobs.",
        draw: () => barChart({
            title: "Jobs", subtitle: run.platform, x: { kind: "seconds", label: "time" }, key: SHARES.map(([, name, colour]) => ({ name, colour })),
            bars: timed.map((job) => ({ label: job.job, parts: SHARES.map(([member, name, colour]) => ({ value: Math.max(0, job[member]), colour, title: `${job.job}: ${name}`, lines: [["time", formatSeconds(job[member], 6)], ["share", formatPercent(job[member] / job.time_s)]] })) })),
            csv: [["job", "time_s", ...SHARES.map(([member]) => member)], ...timed.map((job) => [job.job, job.time_s, ...SHARES.map(([member]) => job[member])])],
        }),
    }), el("div", {}, dataTable({ name: "Steps", columns, count: rows.length, cell: (row, i) => rows[row][columns[i].name] ?? (i === 1 ? "the whole job" : null) }))));
}

/* A step of the line is what its rank receives, one that was started what it sends; nobody is at the other end. Rows are the ranks that
 * are in the page. */
function stepsAsMessages(steps) {
    const count = steps.rank.length;
    const zeros = new Int32Array(count);
    const row = (i) => steps.rank[i] / steps.every;
    return {
        total: count, every: steps.every, whole: steps.every === 1, ranks: Math.ceil(steps.ranks / steps.every), names: steps.names, coloured_by: "round", colours: steps.names.length, causes: [],
        from: steps.started.map((started, i) => (started ? row(i) : -1)), to: steps.started.map((started, i) => (started ? -1 : row(i))),
        port: zeros, round: steps.colour, bytes: zeros, start_s: steps.start_s, end_s: steps.end_s, alone_s: zeros, cause: zeros, at: zeros, before: new Int32Array(count).fill(-1), first: null, owner: null, block_count: null,
    };
}
const stepColour = (i) => (i === 0 ? "#b8b8b8" : i === 1 ? "#fde0cd" : styleOf(i - 2).colour);
