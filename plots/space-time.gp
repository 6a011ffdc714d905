# Ranks against time, rank 0 at the top. Of few ranks each message: a bar on its receiver's row, a strip
# over it on its sender's; pale, with an orange edge, the time that it loses because it shares links. Of many, in each interval what each rank, or each second, third, ...,
# receives for longest or, if there is one block, how busy they are. Over both the critical path; dashed, the phases.
decade(x) = 10**floor(log10(x))
round_number(x) = decade(x) * (x >= 5 * decade(x) ? 5 : x >= 2 * decade(x) ? 2 : 1)
centimetres = bars ? (ranks <= 12 ? 0.45 : ranks <= 24 ? 0.32 : 0.22) * ranks : 5.5
key_rows = slowed > 0 ? 2 : 1
height = fit(2.4 + 0.36 * (key_rows - 1) + larger(centimetres, 2))
many = colours > 1
set lmargin at screen left + (ranks > 999 ? across(0.2125) * (strlen(sprintf("%d", ranks)) - 3) : 0)
set rmargin at screen 1 - across(many || !bars ? 1.785 : 0.3825)
unset key
set xrange [0:end_s*unit]
if (end_s*unit >= 500) { set xtics 0,tick_step(end_s*unit) }
set yrange [ranks-0.5:-0.5]
# Cm for a rank, below the key.
tall = (height - line(height) * height * (head + 1.8 + 2 * key_rows + 2.8)) / ranks
rank_step = ranks <= 20 ? 1 : ranks <= 40 ? 2 : round_number(ranks / 4.0)
set ytics 0,(asked_height > 0 ? larger(rank_step, row_number(0.04 * letter / tall)) : rank_step),ranks-1
unset grid
set border 3 front

if (bars && !many) {
    set palette defined (0 bar_colour, 1 bar_colour)
    unset colorbox
}
if (many) {
    eval rising_palette
    set cbrange [0:colours-1]
    if (colours <= 10) { set cbtics 1 }
}
if (!bars && !bundles) {
    eval full_palette
    set cbrange [0:100]
}

shown = 1 - across(many || !bars ? 1.785 : 0.3825) - left # the width of the panel
has_room(a, b, text) = (b - a) / end_s * shown > across(0.155 * strlen(text) + 0.15)
waiting = alarm_colour
lost_fill = pale_alarm
do for [format in formats] {
    eval begin(format)
    eval frame(height, key_rows + 1, 0)
    set xlabel show(x_text(time_label))
    set ylabel show(y_text("rank"))
    set cblabel show(bars || bundles ? colour_label : "busy ranks (%)") offset beside,0
    # The key, drawn by hand: gnuplot would take two lines for it.
    key_y = 1 - (head + 0.7) * line(height)
    set arrow 3 from screen across(1.445),key_y to screen across(1.785),key_y nohead lw bars ? 1.8 : 1 lc rgb bars ? "#000000" : alarm_colour
    set label 6 "critical path" at screen across(1.9125),key_y
    if (bars) {
        set object 1 rectangle from screen across(3.995),key_y-0.3*line(height) to screen across(4.335),key_y+0.3*line(height) fs solid noborder fc rgb bar_colour
        set label 7 "receives" at screen across(4.4625),key_y
        set arrow 4 from screen across(5.95),key_y to screen across(6.29),key_y nohead lw 2.5 lc rgb bar_colour
        set label 8 "sends" at screen across(6.4175),key_y
    }
    if (bundles) { set label 7 show(cell_text) at screen across(3.995),key_y }
    if (slowed > 0) {
        second_y = key_y - 1.1 * line(height)
        if (bars) { set object 2 rectangle from screen across(1.445),second_y-0.3*line(height) to screen across(1.785),second_y+0.3*line(height) fs solid border lc rgb waiting fc rgb lost_fill }
        set label 9 show(sprintf("time lost to shared links: %.0f %%", lost*100)) at screen across(bars ? 1.9125 : 1.445),second_y
    }
    # Names over phases that have room for them.
    do for [i = 1:2] {
        moment = (i == 1 ? filled_s : draining_s) * unit
        set arrow i from moment,graph 0 to moment,graph 1 nohead front dt (5,4) lw 0.9 lc rgb "#666666"
    }
    if (has_room(0, filled_s, "fill")) { set label 3 "fill" at 0.5*filled_s*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }
    if (has_room(filled_s, draining_s, middle)) { set label 5 middle at 0.5*(filled_s+draining_s)*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }
    if (has_room(draining_s, end_s, "drain")) { set label 10 "drain" at 0.5*(draining_s+end_s)*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }
    if (bars) {
        plot data index 0 using ($3*unit):2:($3*unit):($9*unit):($2-0.16+0.58*$8/ports):($2-0.16+0.58*($8+1)/ports):5 with boxxyerror fs solid border lc rgb "#ffffff" fc palette z, \
             data index 0 using ($3*unit):1:(($3+0.03*($9-$3))*unit):(($9-0.03*($9-$3))*unit):($1-0.4+0.14*$8/ports):($1-0.4+0.14*($8+1)/ports):5 with boxxyerror fs solid noborder fc palette z, \
             data index 0 using ($9 < $4 ? $9*unit : NaN):2:($9*unit):($4*unit):($2-0.16+0.58*$8/ports):($2-0.16+0.58*($8+1)/ports) with boxxyerror fs solid border lc rgb waiting dt 1 lw 0.5 fc rgb lost_fill, \
             data index 0 using ($9 < $4 ? $9*unit : NaN):1:($9*unit):(($4-0.03*($4-$3))*unit):($1-0.4+0.14*$8/ports):($1-0.4+0.14*($8+1)/ports) with boxxyerror fs solid border lc rgb waiting dt 1 lw 0.5 fc rgb lost_fill, \
             data index 1 using ($1*unit):2 with lines lc rgb "#ffffff" lw 3.6 dt 1, \
             data index 1 using ($1*unit):2 with lines lc rgb "#000000" lw 1.8 dt 1
    } else {
        plot data index 0 using ($2*unit):1:(0.54*cell_s*unit):(0.54*cell_ranks):($3*(bundles ? 1 : 100)) with boxxyerror fs solid noborder fc palette z, \
             data index 1 using ($1*unit):2 with lines lc rgb alarm_colour lw 1 dt 1
    }
    unset output
}
