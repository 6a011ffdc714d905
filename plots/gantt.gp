
# Ranks against time, senders above, receivers below: a bar per message, or piece of a cut one; in the bars
# sender and receiver, or the rank at the other end.
row(ranks) = ranks <= 12 ? 0.36 : ranks <= 24 ? 0.3 : 0.24
tall = row(larger(senders, receivers))
above = (head + 1) * 0.045 * letter + (bound < end ? 0.4 : 0.15) * letter / 8
between = bound < end ? 0.6 : 0.35
below = 0.13125 * letter
height = fit(above + between + below + tall * (senders + receivers))
tall = (height - above - between - below) / (senders + receivers)
# The first two of the colours asked for: of a message, and of a piece of one.
whole = grey ? 0xe4e4e4 : coloured ? rgb(word(series_colours, 1)) : 0xbcd7ea
piece = grey ? 0xa0a0a0 : coloured && words(series_colours) > 1 ? rgb(word(series_colours, 2)) : 0xe69f00
set lmargin at screen across(1.19)
set rmargin at screen 1 - across(0.2125)
set xrange [0:end]
set xtics autofreq
unset grid
set border 3 front
set style fill solid border lc rgb "#ffffff"

# Every rank has its number where there is room for it, and the bars have texts.
row_step = larger(row_number(0.036 * letter / tall), larger(senders, receivers) <= 24 ? 1 : 5)
rows(ranks) = sprintf("set yrange [%g:-0.5]; set ytics 0,%d,%d", ranks - 0.5, row_step, ranks - 1)
texts = tall >= 0.025 * letter
key_y = 1 - (head + 0.7) * line(height)
half = 0.3 * line(height)

do for [format in formats] {
    eval begin(format)
    set multiplot
    do for [panel = 1:2] {
        eval frame(height, 0, 0)
        unset key
        # The key, drawn by hand: of both panels.
        set object 1 rectangle from screen across(1.19),key_y-half to screen across(1.53),key_y+half fs solid noborder fc rgb whole
        set label 6 show(whole_text) at screen across(1.6575),key_y
        if (any_cut) {
            set object 2 rectangle from screen across(3.06),key_y-half to screen across(3.4),key_y+half fs solid noborder fc rgb piece
            set label 7 show(piece_text) at screen across(3.5275),key_y
        }
        if (other_end && texts) { set label 8 "number: other end" at screen 1-across(0.2125),key_y right tc rgb "#444444" }
        if (panel == 2) {
            unset label
            unset object
        }
        if (bound < end) {
            set arrow 1 from bound,graph 0 to bound,graph 1 nohead front dt (5,4) lw 0.9 lc rgb "#444444"
            set label 9 show("T_opt") at bound,graph 1 center front offset 0,0.45 tc rgb "#444444"
        }
        eval rows(panel == 1 ? senders : receivers)
        set tmargin at screen 1 - (panel == 1 ? above : height - below - tall * receivers) / height
        set bmargin at screen (panel == 1 ? below + tall * receivers + between : below) / height
        set ylabel show(panel == 1 ? sender_text : receiver_text) offset (latex ? beside - 2 : 1.5),0
        set xlabel panel == 1 ? "" : show(x_text("time (units)"))
        set xtics format (panel == 1 ? "" : "%g")
        plot data using (0.5*($3+$4)):panel:3:4:(column(panel)-0.42):(column(panel)+0.42):($5 == 1 ? piece : whole) with boxxyerror lc rgb variable, \
             data using (texts ? 0.5*($3+$4) : NaN):panel:5+panel with labels font (latex ? "" : sans("", 0.75))
    }
    unset multiplot
    unset output
}
