/* list.h - the list of kinds of plots, in the order of listing; a line here registers a kind. The
 * including file defines the macro PLOT_KIND first, which is applied to each name; so this header
 * has no include guard. */

PLOT_KIND(plot_time_n)
PLOT_KIND(plot_best_n)
PLOT_KIND(plot_time_m)
PLOT_KIND(plot_heat)
PLOT_KIND(plot_regret)
PLOT_KIND(plot_counts)
PLOT_KIND(plot_best_radix)
PLOT_KIND(plot_time_radix)
PLOT_KIND(plot_relative_m)
PLOT_KIND(plot_platforms)
PLOT_KIND(plot_decisions)
PLOT_KIND(plot_regret_map)
PLOT_KIND(plot_ratio)
