#!/usr/bin/perl
# An SMSC that reads and writes with Net::SMPP (Debian: libnet-smpp-perl), not with our codec.
# It takes every message, and what it does then is written at the start of the text's last word:
#   "!undeliv" fails it, "!throttle" refuses it, "!early" sends the receipt before the answer,
#   "!hex" answers in hexadecimal and receipts in decimal, "!mo" sends the octets back as a text.
# Prints one line for each submit_sm: destination, data_coding, esm_class, octets in hexadecimal.
use strict; use warnings; use Net::SMPP; use Encode qw(decode);
$| = 1;
my $port = shift or die "usage: net-smpp.pl port\n";
my $listen = Net::SMPP->new_listen('127.0.0.1', port => $port, smpp_version => 0x34, interface_version => 0x34)
  or die "cannot listen: $!\n";
print "listening\n";
my $client = $listen->accept or die "accept: $!\n";
my ($id, $seq) = (0x1a2b3c, 1);
while (my $pdu = $client->read_pdu) {
  my $name = Net::SMPP::pdu_tab->{$pdu->{cmd}}{cmd} // 'unknown';
  if ($name =~ /^bind_/) {
    my $answer = "${name}_resp";
    my $status = $pdu->{password} eq 'secret' ? 0 : 0x0e;
    $client->$answer(system_id => 'perl', seq => $pdu->{seq}, status => $status);
  } elsif ($name eq 'enquire_link') {
    $client->enquire_link_resp(seq => $pdu->{seq});
  } elsif ($name eq 'unbind') {
    $client->unbind_resp(seq => $pdu->{seq});
    last;
  } elsif ($name eq 'submit_sm') {
    take($pdu);
  }
}
exit 0;

sub take {
  my ($pdu) = @_;
  my $octets = $pdu->{short_message};
  printf "submit %s %d %d %s\n", $pdu->{destination_addr}, $pdu->{data_coding}, $pdu->{esm_class}, unpack('H*', $octets);
  my ($how) = $octets =~ /!(\w+)$/;
  $how //= '';
  my $decimal = ++$id;
  my $in_answer = $how eq 'hex' ? sprintf('%X', $decimal) : $decimal;
  my $answer = sub { $client->submit_sm_resp(message_id => $in_answer, seq => $pdu->{seq}, status => $_[0]) };
  if ($how eq 'throttle') { $answer->(0x58); return; }
  my ($stat, $state, $err) = $how eq 'undeliv' ? ('UNDELIV', 5, '005') : ('DELIVRD', 2, '000');
  my $receipt = sub {
    deliver($pdu, esm_class => 4,
      short_message => "id:$decimal sub:001 dlvrd:001 submit date:2611160101 done date:2611160102 stat:$stat err:$err text:x",
      $how eq 'hex' ? () : (receipted_message_id => "$in_answer\0", message_state => chr($state)));
  };
  $receipt->() if $how eq 'early';
  $answer->(0);
  $receipt->() if $how ne 'early' && $pdu->{registered_delivery};
  deliver($pdu, data_coding => $pdu->{data_coding}, esm_class => $pdu->{esm_class}, short_message => $octets)
    if $pdu->{destination_addr} =~ /99$/ || $how eq 'mo';
}

sub deliver {
  my ($pdu, %more) = @_;
  $client->deliver_sm(
    source_addr_ton => 1, source_addr_npi => 1, source_addr => $pdu->{destination_addr},
    dest_addr_ton => 1, dest_addr_npi => 1, destination_addr => $pdu->{source_addr},
    seq => $seq++, async => 1, %more);
}
