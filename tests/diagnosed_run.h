/* diagnosed_run.h - a run on an engine, its messages recorded and diagnosed. Included by tests
 * only. */
#ifndef TESTS_DIAGNOSED_RUN_H
#define TESTS_DIAGNOSED_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim/observe/diagnosis.h"

struct request {
    const char *collective, *algorithm;
    int32_t p;
    int64_t n, bytes;
    struct sim_overlap overlap;
    const char *platform; /* NULL: a crossbar */
    const char *engine;   /* NULL: model */
    int32_t ports;        /* 0: one */
};

struct run {
    struct rb_plan *plan;
    struct rb_layout layout;
    struct sim_spec spec;
    struct sim_result result;
    struct obs_recording recording;
    struct obs_diagnosis diagnosis;
};

/* Latency 1 us, bandwidth 1 GB/s: a message of 1000 bytes takes 2 us. */
static inline void start(struct run *run, const struct request *request)
{
    const struct rb_plan_spec plan_spec = {.collective = request->collective,
                                           .algorithm = request->algorithm,
                                           .p = request->p,
                                           .n = request->n,
                                           .ports = request->ports};
    *run = (struct run){.layout = {.bytes = request->bytes, .element = 1}};
    assert_int_equal(rb_plan_create(&plan_spec, &run->plan, NULL, 0), RB_OK);
    run->spec = (struct sim_spec){
        .plan = run->plan, .layout = &run->layout, .ppn = 1, .overlap = request->overlap};
}

static inline void finish(struct run *run)
{
    struct sup_error error;
    if (obs_recording_close(&run->recording, rb_plan_ranks(run->plan), &error) != RB_OK ||
        obs_diagnose(&run->spec, &run->result, &run->recording, &run->diagnosis, &error) != RB_OK)
        fail_msg("%s", error.text);
}

/* Runs and records on an engine's platform; then finish() diagnoses. */
static inline void simulate(struct run *run, const char *engine, const char *platform)
{
    struct sup_error error;
    const struct sim_observer observer = obs_recording_observer(&run->recording);
    run->spec.platform = platform;
    run->spec.observer = &observer;
    if (sim_run(sim_engine_find(engine), &run->spec, &run->result, &error) != RB_OK)
        fail_msg("%s", error.text);
    run->spec.observer = NULL;
    run->spec.platform = NULL;
}

static inline void diagnose(struct run *run, const struct request *request)
{
    char crossbar[64];
    snprintf(crossbar, sizeof crossbar, "crossbar:%d,latency=1us,bandwidth=1GBps", request->p);
    start(run, request);
    simulate(run, request->engine != NULL ? request->engine : "model",
             request->platform != NULL ? request->platform : crossbar);
    finish(run);
}

static inline void end(struct run *run)
{
    obs_diagnosis_free(&run->diagnosis);
    obs_recording_free(&run->recording);
    sim_result_free(&run->result);
    rb_plan_destroy(run->plan);
}

static const struct sim_overlap blocking = {SIM_BLOCKING, 1}, lockstep = {SIM_LOCKSTEP, 1};

#endif
