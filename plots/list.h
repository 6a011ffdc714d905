/* list.h - the kinds of plots there are, in the order of listing: all that there is to registering
 * one. Whoever includes this says before what RB_PLOT_KIND makes of a name, and gets a line of it
 * for each; so it has no guard. */

RB_PLOT_KIND(rb_plot_time_n)
RB_PLOT_KIND(rb_plot_best_n)
RB_PLOT_KIND(rb_plot_time_m)
RB_PLOT_KIND(rb_plot_heat)
RB_PLOT_KIND(rb_plot_regret)
RB_PLOT_KIND(rb_plot_counts)
RB_PLOT_KIND(rb_plot_best_radix)
RB_PLOT_KIND(rb_plot_time_radix)
RB_PLOT_KIND(rb_plot_relative_m)
