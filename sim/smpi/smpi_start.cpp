/* smpi_start.cpp - SMPI started inside a simulation of our own, and its ranks.
 *
 * C++ because the C interface can't give actors the properties by which SMPI knows its ranks. */

#include <string>

#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

extern "C" {
#include "roundabout.h"
#include "smpi.h"
}

namespace sg4 = simgrid::s4u;

namespace
{

/* SMPI gives its callback no context; there is one simulation per process. */
simmpi_run *current;

/* A native collective is called twice, with about as many messages each time. */
void tell_share()
{
    const sim_meter *meter = current->spec->meter;
    const int64_t told = current->before + current->messages;
    const bool native = current->spec->native != nullptr;
    if (meter == nullptr || told % SIM_TELL_EVERY != 0 || !current->counting)
        return;
    const int64_t done = native ? told : current->messages;
    const int64_t all = native ? 2 * current->before : current->expected;
    if (all > 0)
        meter->tell(meter->context,
                    done < all ? static_cast<double>(done) / static_cast<double>(all) : 1);
}

/* SMPI calls it for each message that arrives; the message is always a communication. */
void count_and_copy(smx_activity_t message, void *data, size_t size)
{
    if (current->counting) {
        current->messages++;
        current->bytes += static_cast<sim_tally>(size);
    } else {
        current->before++;
    }
    tell_share();
    smpi_comm_copy_buffer_callback(reinterpret_cast<simgrid::kernel::activity::CommImpl *>(message),
                                   data, size);
}

void start_rank(simmpi_run &run, const char *instance, int32_t rank)
{
    const std::string number = std::to_string(rank);
    sg_actor_t actor = sg_actor_init(
        number.c_str(), static_cast<sg_host_t>(s4u_host_handle(run.platform, run.host[rank])));
    actor->set_property("instance_id", instance);
    actor->set_property("rank", number);
    sg_actor_set_data(actor, &run);
    sg_actor_start(actor, simmpi_rank, 0, nullptr);
}

/* One buffer for all ranks: SMPI does not copy within memory that it knows to be shared. */
void share_buffers(simmpi_run &run)
{
    for (auto &buffer : run.shared)
        buffer = smpi_shared_malloc(static_cast<size_t>(run.buffer_bytes) + 1, __FILE__, __LINE__);
}

} // namespace

void simmpi_declare_options(void)
{
    smpi_init_options();
}

int simmpi_run_ranks(struct simmpi_run *run, struct sup_error *error)
{
    static const char instance[] = "roundabout";
    const int32_t p = sim_ranks(run->spec);
    current = run;
    try {
        /* SMPI's requests carry SMPI's own callback; the engine's default is not for them. */
        smpi_comm_set_copy_data_callback(count_and_copy);
        SMPI_init();
        SMPI_app_instance_register(instance, nullptr, p);
        run->together = sg_barrier_init(static_cast<unsigned>(p));
        if (!run->checked)
            share_buffers(*run);
        for (int32_t rank = 0; rank < p; rank++)
            start_rank(*run, instance, rank);
        sg4::Engine::get_instance()->run();
    } catch (const std::exception &e) {
        return sup_fail(error, RB_EFAILED, "SMPI: %.*s", sup_first_line(e.what()), e.what());
    }
    if (run->status != RB_OK)
        return sup_fail(error, run->status, "%s", run->error.text);
    if (run->ended < p) /* SimGrid then ends the simulation as if all were well */
        return sup_fail(error, RB_EFAILED, "SMPI: a deadlock: %d of %d ranks wait for ever",
                        p - run->ended, p);
    return RB_OK;
}

void simmpi_try_option(const char *option)
{
    std::string name = "roundabout", quiet = "--log=root.threshold:error",
                bare = "--log=root.fmt:%m%n", text = std::string("--cfg=") + option;
    char *argument[] = {name.data(), quiet.data(), bare.data(), text.data(), nullptr};
    int count = 4;
    smpi_init_options();
    sg4::Engine engine(&count, argument);
    SMPI_init();
}
