#!/usr/bin/env bash
# prefixes.sh SOURCE_DIRECTORY - names tell their library: what a folder's headers declare begins with the prefix that
# the table in docs/extending.md gives the folder, every folder with headers is in the table, and a name with rb_ or RB_
# is used only if a header of the core or an installed one has it, or the environment.
set -euo pipefail
cd "$1"

# shellcheck disable=SC2016 # perl's
find . -type d \( -name .git -o -name tests -o -path ./build -o -exec test -e '{}/CMakeCache.txt' \; \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cpp' \) -print | sed 's|^\./||' | sort | perl -e '
    use strict;
    my (%prefix, %public, %text, $failed);
    sub fail { print @_, "\n"; $failed = 1; }
    sub slurp { open my $file, "<", $_[0] or die "$_[0]: $!"; local $/; my $text = <$file>; return $text; }
    my $page = slurp("docs/extending.md");
    while ($page =~ /^\| ((?:`[\w\/]+\/`(?:, )?)+) \| `(\w+_)` \|/mg) {
        my ($folders, $prefix) = ($1, $2);
        $prefix{$_} = $prefix for $folders =~ /`([\w\/]+)\/`/g;
    }
    %prefix or fail("docs/extending.md: no table of prefixes");
    while (my $path = <STDIN>) {
        chomp $path;
        my $text = slurp($path);
        # What is no code: comments and strings; but the environment is read by names in strings.
        $public{$_} = 1 for $text =~ /getenv\("(RB_\w+)"\)/g;
        $text =~ s{/\*.*?\*/|"(?:[^"\\\n]|\\.)*"}{ }gs;
        $text{$path} = $text;
        if ($path =~ m{^schedules/|/include/}) {
            $public{$_} = 1 for $text =~ /\b(?:rb|RB)_\w+/g;
        }
    }
    for my $path (sort keys %text) {
        my $text = $text{$path};
        (my $folder = $path) =~ s{/[^/]*$}{};
        my %unknown;
        $unknown{$_} = 1 for grep { !$public{$_} } $text =~ /\b(?:rb|RB)_\w+/g;
        fail("$path: $_: rb_ is for the core and for installed headers") for sort keys %unknown;
        next if $path !~ /\.h$/ or $folder =~ m{/include$};
        my $prefix = $prefix{$folder} // do { fail("$path: $folder is not in the table of docs/extending.md"); next };
        (my $guard = uc $path) =~ s/\W/_/g;
        my @names = grep { $_ !~ /^(?:RB_)?\Q$guard\E$/ } $text =~ /^#define\s+(\w+)/mg;
        $text =~ s/^#(?:[^\n]*\\\n)*[^\n]*$//mg;
        $text =~ s/extern\s+\{//g;
        push @names, $text =~ /\b(?:struct|enum|union)\s+(\w+)\s*\{/g;
        while ($text =~ /\benum\s*\w*\s*\{([^}]*)\}/g) {
            push @names, map { /^\s*(\w+)/ ? $1 : () } split /,/, $1;
        }
        1 while $text =~ s/\{[^{}]*\}/;/g;
        for my $statement (split /;/, $text) {
            if ($statement =~ /^\s*extern\b(?!.*\()(.*)$/s) {
                push @names, $1 =~ /(\w+)\s*(?:\[[^\]]*\]\s*)*(?=,|$)/g;
            } elsif ($statement =~ /(\w+)\s*\(/) {
                push @names, $1;
            }
        }
        (my $bare = $prefix) =~ s/_$//;
        for my $name (@names) {
            fail("$path: $name: names of $folder/ begin with $prefix") if $name !~ /^(?:\Q$prefix\E|\Q$bare\E$)/i;
        }
    }
    exit($failed ? 1 : 0);'
echo "every name has its library's prefix"
