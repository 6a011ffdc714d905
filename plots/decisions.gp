
# A cell per p and m, in the colour and with the letter of the fastest algorithm, pale where it gains less than 5 %;
# below the letter, how many times faster it is.
cell = 0.75 * width / x_cells # cm
tall = 0.62 * letter / 8
longest = longest + 2 # for the letter
lines = key_rows(series + others, longest)
height = fit((2.8 + below_key(lines, longest) + 0.6) * 0.045 * letter + tall * larger(y_cells, 2))
numbered = cell > 0.5 * letter / 8
letter_of(i) = i > series ? "*" : "ABCDEFGHIJ"[i:i]
hue(i) = i > series ? 0x999999 : rgb(word(series_colours, (styles[i] - 1) % words(series_colours) + 1))
mixed(c, share) = int(255 - (255 - c) * share + 0.5)
tint(c, share) = mixed(c / 65536 % 256, share) * 65536 + mixed(c / 256 % 256, share) * 256 + mixed(c % 256, share)
gain_text(g) = g != g ? "" : sprintf(g < 9.95 ? "%.2f" : g < 999.5 ? "%.0f" : "999+", g)
set xrange [-0.5:x_cells-0.5]
set yrange [-0.5:y_cells-0.5]
unset grid
do for [format in formats] {
    eval begin(format)
    eval frame(height, lines, longest)
    eval x_ticks
    eval y_ticks
    set xlabel show(x_text("message size m"))
    set ylabel show(y_text(y_cells < 4 ? "ranks p" : "number of ranks p"))
    plot for [i = 1:series+1] data index i-1 using ($8 == 1 ? $2 : NaN):1:(0.49):(0.48):(tint(hue(i), $9 >= 1.05 ? 0.5 : 0.22)) with boxxyerror fs solid noborder lc rgb variable, \
         for [i = 1:series+1] data index i-1 using ($8 == 1 ? $2 : NaN):($1 + (numbered ? 0.2 : 0)):(letter_of(i)) with labels font (latex ? "" : sans(bold, 0.9)), \
         for [i = 1:numbered*(series+1)] data index i-1 using ($8 == 1 && $9 == $9 ? $2 : NaN):($1 - 0.2):(gain_text($9)) with labels font (latex ? "" : sans("", 0.8)), \
         for [i = 1:series+others] NaN with boxes fs solid noborder lc rgb tint(hue(i), 0.5) title show(letter_of(i)." ".(i > series ? "others" : titles[i]))
    unset output
}
