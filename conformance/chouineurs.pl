# Legal acts of Chouineurs, as an engine of its own: retourne conform --game chouineurs -- perl chouineurs.pl
use strict;
use warnings;
use JSON::PP;

$| = 1;
while (my $line = <STDIN>) {
    my $request = decode_json($line);
    my $log = $request->{log};
    my $answer = $request->{ask} eq "legal" && $log->{game} eq "chouineurs"
        ? { legal => legal($log->{deals}[0]) } : { skip => "only legal acts of Chouineurs" };
    print encode_json($answer), "\n";
}

sub legal {
    my ($deal) = @_;
    my @hands = map { { map { split "/" } split " " } } @{ $deal->{hands} };    # up => down
    my ($turn, $reserve, @table, %owed) = ($deal->{leader} - 1, 44);
    $reserve -= keys %$_ for @hands;
    for (@{ $deal->{actions} }) {
        my ($number, $act, $face) = split " ";
        my $seat = $number - 1;
        return [] if $act eq "resign";
        if ($act eq "point") { $reserve--; delete $owed{$seat} }
        elsif ($act eq "turn") {
            my $below = delete $hands[$seat]{$face};
            $hands[$seat]{$below} = $face;
            delete $owed{$seat};
        } else {
            delete $hands[$seat]{$act};
            push @table, [$seat, $act];
            $turn = ($seat + 1) % @hands;
            next if @table < @hands;
            ($turn, %owed) = (trick_winner(@table), map { $_ => 1 } lowest(@table));
            @table = ();
        }
        %owed = () if !$reserve && !grep { %$_ } @hands;
    }
    my @seats = map { $_ - 1 } 1 .. @hands;
    my @acts = map { "$_ resign" } 1 .. @hands;
    for my $seat (keys %owed) {
        push @acts, "@{[$seat + 1]} point" if $reserve;
        push @acts, map { "@{[$seat + 1]} turn $_" } keys %{ $hands[$seat] };
    }
    my @cards = keys %{ $hands[$turn] };
    my $led = @table ? substr($table[0][1], 0, 1) : "";
    my @follow = grep { /^$led/ } @cards;
    @cards = grep { /^[k$led]/ } @cards if $led && @follow;
    push @acts, map { "@{[$turn + 1]} $_" } @cards unless %owed;
    return !@cards && !%owed && !grep({ %$_ } @hands) ? [] : \@acts;
}

sub value { substr $_[0], 1 }

sub lowest {
    my ($least) = sort { $a <=> $b } map { value($_->[1]) } @_;
    return map { $_->[0] } grep { value($_->[1]) == $least } @_;
}

sub trick_winner {
    my @table = @_;
    for my $colour ("k", "y", substr($table[0][1], 0, 1)) {
        my @of = sort { value($b->[1]) <=> value($a->[1]) } grep { $_->[1] =~ /^$colour/ } @table;
        return $of[0][0] if @of;
    }
}
