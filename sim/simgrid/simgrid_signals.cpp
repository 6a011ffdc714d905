/* simgrid_signals.cpp - no actors for ranks: the walk's messages as host-to-host communications.
 *
 * A completion signal hands the message back to the walk, which may start others at the same
 * simulated time. C++ because SimGrid's C interface has neither these communications nor signals
 * nor timers.
 */
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

extern "C" {
#include "sim/workload/walk.h"
#include "simgrid.h"
}

namespace sg4 = simgrid::s4u;

namespace
{

using simgrid::kernel::timer::Timer;

struct Flight { /* at most one per slot of the walk */
    sim_walk_message taken;
    double start_s;
    sg4::CommPtr comm;
};

struct Runner {
    s4u_run &run;
    sim_walk *walk = nullptr;
    std::vector<sg4::Host *> host{}; /* per rank */
    std::vector<Flight> flight{};
    sg4::CommPtr last{};  /* a communication must outlive its own signal */
    bool settles = false; /* soon */
    int status = RB_OK;
    sup_error error{};

    bool is_over() const
    {
        return status != RB_OK || sim_walk_over(walk);
    }

    void start(const sim_walk_message &taken)
    {
        const auto from = static_cast<size_t>(taken.message.from);
        const auto to = static_cast<size_t>(taken.message.to);
        Flight &f = flight[static_cast<size_t>(taken.slot)];
        f.taken = taken;
        f.start_s = sg4::Engine::get_clock();
        f.comm = sg4::Comm::sendto_init(host[from], host[to]);
        f.comm->set_payload_size(static_cast<uint64_t>(taken.message.bytes));
        f.comm->set_data(&f);
        f.comm->start();
        if (run.load)
            status = net_link_load_add_between(run.load, run.host[from], run.host[to], 0,
                                               taken.message.bytes, &error);
    }

    void start_all()
    {
        sim_walk_message taken;
        while (status == RB_OK && sim_walk_take(walk, &taken))
            start(taken);
        settle_soon();
    }

    void show(const Flight &f)
    {
        const sim_replay_message &message = f.taken.message;
        const sim_message seen = {message.from,
                                  message.to,
                                  message.port,
                                  message.round,
                                  message.bytes,
                                  f.start_s,
                                  sg4::Engine::get_clock(),
                                  0,
                                  f.taken.job,
                                  f.taken.step};
        s4u_show(&run, &seen);
    }

    void complete(Flight &f, bool arrived)
    {
        const sim_replay_message message = f.taken.message;
        if (!arrived && status == RB_OK)
            status = sup_fail(&error, RB_EFAILED,
                              "the message from rank %d on host %s to rank %d on host %s was lost: "
                              "a link between them is off",
                              message.from, host[static_cast<size_t>(message.from)]->get_cname(),
                              message.to, host[static_cast<size_t>(message.to)]->get_cname());
        last = std::move(f.comm);
        if (is_over())
            return;
        double now = sg4::Engine::get_clock();
        run.finish_s[message.from] = now;
        run.finish_s[message.to] = now;
        show(f);
        sim_walk_complete(walk, now, f.taken.slot);
        start_all();
    }

    /* Timers come before completions of the same moment, so that the one that settles the walk
     * comes a moment later. */
    void settle_soon()
    {
        if (settles || run.spec->workload == nullptr)
            return;
        settles = true;
        Timer::set(sg4::Engine::get_clock() * (1 + 1e-15), [this] {
            settles = false;
            if (!is_over() && sim_walk_settle(walk, sg4::Engine::get_clock()))
                start_all();
        });
    }

    void fire(int32_t timer)
    {
        if (is_over())
            return;
        sim_walk_fire(walk, sg4::Engine::get_clock(), timer);
        start_all();
    }
};

/* The rank computes, whatever else its host does. */
void set_timer(void *context, int32_t timer, int32_t rank, double seconds)
{
    auto *runner = static_cast<Runner *>(context);
    (void)rank;
    Timer::set(sg4::Engine::get_clock() + seconds, [runner, timer] { runner->fire(timer); });
}

int play(Runner &runner)
{
    const sim_walk_clock clock = {set_timer, &runner};
    const int status = sim_walk_create(runner.run.spec, false, &clock, &runner.walk, &runner.error);
    if (status != RB_OK)
        return status;
    for (int32_t r = 0; r < sim_ranks(runner.run.spec); r++)
        runner.host.push_back(
            static_cast<sg4::Host *>(s4u_host_handle(runner.run.platform, runner.run.host[r])));
    runner.flight.resize(static_cast<size_t>(sim_walk_slots(runner.walk)));
    /* The parameter is an Activity in SimGrid 3 and a Comm in 4. */
    sg4::Comm::on_completion_cb([&runner](const auto &comm) {
        if (auto *flight = comm.template get_data<Flight>())
            runner.complete(*flight, comm.get_state() == sg4::Activity::State::FINISHED);
    });
    sim_walk_begin(runner.walk, nullptr);
    runner.start_all();
    sg4::Engine::get_instance()->run();
    return runner.status;
}

} // namespace

int s4u_signals(struct s4u_run *run, struct sup_error *error)
{
    int status;
    /* Never destroyed: SimGrid keeps the signal, which refers to it, until the process ends. */
    static std::unique_ptr<Runner> runner;
    try {
        runner = std::make_unique<Runner>(Runner{*run});
        status = play(*runner);
        if (status)
            sup_fail(error, status, "%s", runner->error.text);
    } catch (const std::bad_alloc &) {
        status = sup_fail(error, RB_ENOMEM, "out of memory");
    } catch (const std::exception &e) {
        status = sup_fail(error, RB_EFAILED, "SimGrid: %.*s", sup_first_line(e.what()), e.what());
    }
    if (status == RB_OK)
        status = sim_walk_finish(runner->walk, run->finish_s, run->result, error);
    sim_walk_destroy(runner->walk);
    return status;
}
