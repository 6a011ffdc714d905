/* list.h - the kinds of plots there are, in the order of listing: all that there is to registering
 * one. Whoever includes this says before what PLOT_KIND makes of a name, and gets a line of it
 * for each; so it has no guard. */

PLOT_KIND(plot_time_n)
PLOT_KIND(plot_best_n)
PLOT_KIND(plot_time_m)
PLOT_KIND(plot_heat)
PLOT_KIND(plot_regret)
PLOT_KIND(plot_counts)
PLOT_KIND(plot_best_radix)
PLOT_KIND(plot_time_radix)
PLOT_KIND(plot_relative_m)
