/* simgrid_signals.cpp - no actors: the replay's messages as host-to-host communications.
 *
 * A completion signal hands the message back to the replay, which may start others at the same
 * simulated time. C++ because SimGrid's C interface has neither these communications nor signals.
 */
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/replay.h"
#include "simgrid.h"

namespace sg4 = simgrid::s4u;

namespace
{

struct Flight { /* at most one per rank and port */
    sim_replay_message message;
    double start_s;
    sg4::CommPtr comm;
};

struct Runner {
    s4u_run &run;
    sim_replay *replay;
    int32_t ports;
    std::vector<sg4::Host *> host; /* per rank */
    std::vector<Flight> flight;
    sg4::CommPtr last; /* a communication must outlive its own signal */
    int status = RB_OK;
    sup_error error{};

    void start(const sim_replay_message &message)
    {
        auto from = static_cast<size_t>(message.from);
        auto to = static_cast<size_t>(message.to);
        Flight &f = flight[from * static_cast<size_t>(ports) + static_cast<size_t>(message.port)];
        f.message = message;
        f.start_s = sg4::Engine::get_clock();
        f.comm = sg4::Comm::sendto_init(host[from], host[to]);
        f.comm->set_payload_size(static_cast<uint64_t>(message.bytes));
        f.comm->set_data(&f);
        f.comm->start();
        if (run.load)
            status = net_link_load_add_between(run.load, run.host[from], run.host[to], 0,
                                               message.bytes, &error);
    }

    void start_all()
    {
        sim_replay_message message;
        while (status == RB_OK && sim_replay_take(replay, &message))
            start(message);
    }

    void complete(Flight &f, bool arrived)
    {
        const sim_replay_message message = f.message;
        if (!arrived && status == RB_OK)
            status = sup_fail(&error, RB_EFAILED,
                              "the message from rank %d on host %s to rank %d on host %s was lost: "
                              "a link between them is off",
                              message.from, host[static_cast<size_t>(message.from)]->get_cname(),
                              message.to, host[static_cast<size_t>(message.to)]->get_cname());
        last = std::move(f.comm);
        if (status != RB_OK)
            return;
        double now = sg4::Engine::get_clock();
        run.finish_s[message.from] = now;
        run.finish_s[message.to] = now;
        const sim_message seen = {message.from,
                                  message.to,
                                  message.port,
                                  message.round,
                                  message.bytes,
                                  f.start_s,
                                  now,
                                  0,
                                  0,
                                  0};
        s4u_show(&run, &seen);
        sim_replay_complete(replay, message.from, message.port);
        start_all();
    }
};

void play(Runner &runner)
{
    int32_t p = rb_plan_ranks(runner.run.spec->plan);
    for (int32_t r = 0; r < p; r++)
        runner.host.push_back(
            static_cast<sg4::Host *>(s4u_host_handle(runner.run.platform, runner.run.host[r])));
    runner.flight.resize(static_cast<size_t>(p) * static_cast<size_t>(runner.ports));
    /* The parameter is an Activity in SimGrid 3 and a Comm in 4. */
    sg4::Comm::on_completion_cb([&runner](const auto &comm) {
        if (auto *flight = comm.template get_data<Flight>())
            runner.complete(*flight, comm.get_state() == sg4::Activity::State::FINISHED);
    });
    runner.start_all();
    sg4::Engine::get_instance()->run();
}

} // namespace

int s4u_signals(struct s4u_run *run, struct sup_error *error)
{
    if (run->spec->workload != nullptr)
        return sup_fail(error, RB_EINVAL,
                        "the simgrid engine's variant 'signals' doesn't run workloads: take the "
                        "variant 'actors'");
    sim_replay *replay;
    int status = sim_replay_create(run->spec->plan, run->spec->layout, &run->spec->overlap, false,
                                   &replay, error);
    if (status)
        return status;
    sim_replay_watch(replay, run->spec->meter);
    sim_replay_enter_all(replay);
    try {
        /* Never destroyed: SimGrid keeps the signal, which refers to it, until the process ends. */
        static std::unique_ptr<Runner> runner;
        runner = std::make_unique<Runner>(
            Runner{*run, replay, rb_plan_ports(run->spec->plan), {}, {}, nullptr});
        play(*runner);
        status = runner->status;
        if (status)
            sup_fail(error, status, "%s", runner->error.text);
    } catch (const std::bad_alloc &) {
        status = sup_fail(error, RB_ENOMEM, "out of memory");
    } catch (const std::exception &e) {
        status = sup_fail(error, RB_EFAILED, "SimGrid: %.*s", sup_first_line(e.what()), e.what());
    }
    if (status == RB_OK)
        status = sim_replay_finished(replay, error);
    run->messages = sim_replay_messages(replay);
    run->bytes = sim_replay_bytes(replay);
    sim_replay_destroy(replay);
    return status;
}
