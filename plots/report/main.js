/* main.js - reads the data and shows the report of their kind. */
"use strict";

function pageHead(title, what) {
    document.title = title;
    document.getElementById("head").append(el("h1", {}, title), el("p", { class: "pale" }, what));
}
function originFacts(origin) {
    return [["page made by", `roundabout ${origin.version}`], ["with", el("code", {}, origin.command)], ["on", origin.host], ["at", origin.made]];
}

function showReport() {
    document.getElementById("nav").append(el("div", {}));
    try {
        const data = JSON.parse(document.getElementById("data").textContent);
        if (data.kind === "sweep") sweepReport(data);
        else if (data.kind === "none") pageHead(data.results.split("/").pop(), data.live ? "No point is done yet." : data.why);
        else if (data.kind === "workload") workloadReport(data);
        else runReport(data);
        if (data.live) follow(data.live, data.origin);
        else restoreView();
        if (!history.state) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(); /* it was not there before */
    } catch (problem) {
        document.getElementById("main").append(el("p", { class: "note" }, `This report can't be shown: ${problem.message}.`));
        throw problem;
    } finally {
        /* For those who test how fast it is: milliseconds since the page was opened. */
        document.documentElement.dataset.ready = String(Math.round(performance.now()));
    }
}
showReport();
