// Written by generate.py.
// swift-format-ignore-file

import AutoKVO

let hundredKeysClasses: [@Sendable () -> TrackedObject] = [
    { HundredKeys0() }, { HundredKeys1() }, { HundredKeys2() }, { HundredKeys3() }, { HundredKeys4() },
]

final class HundredKeys0: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    @Observed var p21 = 0; @Observed var p22 = 0; @Observed var p23 = 0; @Observed var p24 = 0; @Observed var p25 = 0
    @Observed var p26 = 0; @Observed var p27 = 0; @Observed var p28 = 0; @Observed var p29 = 0; @Observed var p30 = 0
    @Observed var p31 = 0; @Observed var p32 = 0; @Observed var p33 = 0; @Observed var p34 = 0; @Observed var p35 = 0
    @Observed var p36 = 0; @Observed var p37 = 0; @Observed var p38 = 0; @Observed var p39 = 0; @Observed var p40 = 0
    @Observed var p41 = 0; @Observed var p42 = 0; @Observed var p43 = 0; @Observed var p44 = 0; @Observed var p45 = 0
    @Observed var p46 = 0; @Observed var p47 = 0; @Observed var p48 = 0; @Observed var p49 = 0; @Observed var p50 = 0
    @Observed var p51 = 0; @Observed var p52 = 0; @Observed var p53 = 0; @Observed var p54 = 0; @Observed var p55 = 0
    @Observed var p56 = 0; @Observed var p57 = 0; @Observed var p58 = 0; @Observed var p59 = 0; @Observed var p60 = 0
    @Observed var p61 = 0; @Observed var p62 = 0; @Observed var p63 = 0; @Observed var p64 = 0; @Observed var p65 = 0
    @Observed var p66 = 0; @Observed var p67 = 0; @Observed var p68 = 0; @Observed var p69 = 0; @Observed var p70 = 0
    @Observed var p71 = 0; @Observed var p72 = 0; @Observed var p73 = 0; @Observed var p74 = 0; @Observed var p75 = 0
    @Observed var p76 = 0; @Observed var p77 = 0; @Observed var p78 = 0; @Observed var p79 = 0; @Observed var p80 = 0
    @Observed var p81 = 0; @Observed var p82 = 0; @Observed var p83 = 0; @Observed var p84 = 0; @Observed var p85 = 0
    @Observed var p86 = 0; @Observed var p87 = 0; @Observed var p88 = 0; @Observed var p89 = 0; @Observed var p90 = 0
    @Observed var p91 = 0; @Observed var p92 = 0; @Observed var p93 = 0; @Observed var p94 = 0; @Observed var p95 = 0
    @Observed var p96 = 0; @Observed var p97 = 0; @Observed var p98 = 0; @Observed var p99 = 0; @Observed var p100 = 0
    override class var schema: Schema {
        Schema(HundredKeys0.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
            Key("p21", \.p21); Key("p22", \.p22); Key("p23", \.p23); Key("p24", \.p24); Key("p25", \.p25)
            Key("p26", \.p26); Key("p27", \.p27); Key("p28", \.p28); Key("p29", \.p29); Key("p30", \.p30)
            Key("p31", \.p31); Key("p32", \.p32); Key("p33", \.p33); Key("p34", \.p34); Key("p35", \.p35)
            Key("p36", \.p36); Key("p37", \.p37); Key("p38", \.p38); Key("p39", \.p39); Key("p40", \.p40)
            Key("p41", \.p41); Key("p42", \.p42); Key("p43", \.p43); Key("p44", \.p44); Key("p45", \.p45)
            Key("p46", \.p46); Key("p47", \.p47); Key("p48", \.p48); Key("p49", \.p49); Key("p50", \.p50)
            Key("p51", \.p51); Key("p52", \.p52); Key("p53", \.p53); Key("p54", \.p54); Key("p55", \.p55)
            Key("p56", \.p56); Key("p57", \.p57); Key("p58", \.p58); Key("p59", \.p59); Key("p60", \.p60)
            Key("p61", \.p61); Key("p62", \.p62); Key("p63", \.p63); Key("p64", \.p64); Key("p65", \.p65)
            Key("p66", \.p66); Key("p67", \.p67); Key("p68", \.p68); Key("p69", \.p69); Key("p70", \.p70)
            Key("p71", \.p71); Key("p72", \.p72); Key("p73", \.p73); Key("p74", \.p74); Key("p75", \.p75)
            Key("p76", \.p76); Key("p77", \.p77); Key("p78", \.p78); Key("p79", \.p79); Key("p80", \.p80)
            Key("p81", \.p81); Key("p82", \.p82); Key("p83", \.p83); Key("p84", \.p84); Key("p85", \.p85)
            Key("p86", \.p86); Key("p87", \.p87); Key("p88", \.p88); Key("p89", \.p89); Key("p90", \.p90)
            Key("p91", \.p91); Key("p92", \.p92); Key("p93", \.p93); Key("p94", \.p94); Key("p95", \.p95)
            Key("p96", \.p96); Key("p97", \.p97); Key("p98", \.p98); Key("p99", \.p99); Key("p100", \.p100)
        }
    }
}

final class HundredKeys1: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    @Observed var p21 = 0; @Observed var p22 = 0; @Observed var p23 = 0; @Observed var p24 = 0; @Observed var p25 = 0
    @Observed var p26 = 0; @Observed var p27 = 0; @Observed var p28 = 0; @Observed var p29 = 0; @Observed var p30 = 0
    @Observed var p31 = 0; @Observed var p32 = 0; @Observed var p33 = 0; @Observed var p34 = 0; @Observed var p35 = 0
    @Observed var p36 = 0; @Observed var p37 = 0; @Observed var p38 = 0; @Observed var p39 = 0; @Observed var p40 = 0
    @Observed var p41 = 0; @Observed var p42 = 0; @Observed var p43 = 0; @Observed var p44 = 0; @Observed var p45 = 0
    @Observed var p46 = 0; @Observed var p47 = 0; @Observed var p48 = 0; @Observed var p49 = 0; @Observed var p50 = 0
    @Observed var p51 = 0; @Observed var p52 = 0; @Observed var p53 = 0; @Observed var p54 = 0; @Observed var p55 = 0
    @Observed var p56 = 0; @Observed var p57 = 0; @Observed var p58 = 0; @Observed var p59 = 0; @Observed var p60 = 0
    @Observed var p61 = 0; @Observed var p62 = 0; @Observed var p63 = 0; @Observed var p64 = 0; @Observed var p65 = 0
    @Observed var p66 = 0; @Observed var p67 = 0; @Observed var p68 = 0; @Observed var p69 = 0; @Observed var p70 = 0
    @Observed var p71 = 0; @Observed var p72 = 0; @Observed var p73 = 0; @Observed var p74 = 0; @Observed var p75 = 0
    @Observed var p76 = 0; @Observed var p77 = 0; @Observed var p78 = 0; @Observed var p79 = 0; @Observed var p80 = 0
    @Observed var p81 = 0; @Observed var p82 = 0; @Observed var p83 = 0; @Observed var p84 = 0; @Observed var p85 = 0
    @Observed var p86 = 0; @Observed var p87 = 0; @Observed var p88 = 0; @Observed var p89 = 0; @Observed var p90 = 0
    @Observed var p91 = 0; @Observed var p92 = 0; @Observed var p93 = 0; @Observed var p94 = 0; @Observed var p95 = 0
    @Observed var p96 = 0; @Observed var p97 = 0; @Observed var p98 = 0; @Observed var p99 = 0; @Observed var p100 = 0
    override class var schema: Schema {
        Schema(HundredKeys1.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
            Key("p21", \.p21); Key("p22", \.p22); Key("p23", \.p23); Key("p24", \.p24); Key("p25", \.p25)
            Key("p26", \.p26); Key("p27", \.p27); Key("p28", \.p28); Key("p29", \.p29); Key("p30", \.p30)
            Key("p31", \.p31); Key("p32", \.p32); Key("p33", \.p33); Key("p34", \.p34); Key("p35", \.p35)
            Key("p36", \.p36); Key("p37", \.p37); Key("p38", \.p38); Key("p39", \.p39); Key("p40", \.p40)
            Key("p41", \.p41); Key("p42", \.p42); Key("p43", \.p43); Key("p44", \.p44); Key("p45", \.p45)
            Key("p46", \.p46); Key("p47", \.p47); Key("p48", \.p48); Key("p49", \.p49); Key("p50", \.p50)
            Key("p51", \.p51); Key("p52", \.p52); Key("p53", \.p53); Key("p54", \.p54); Key("p55", \.p55)
            Key("p56", \.p56); Key("p57", \.p57); Key("p58", \.p58); Key("p59", \.p59); Key("p60", \.p60)
            Key("p61", \.p61); Key("p62", \.p62); Key("p63", \.p63); Key("p64", \.p64); Key("p65", \.p65)
            Key("p66", \.p66); Key("p67", \.p67); Key("p68", \.p68); Key("p69", \.p69); Key("p70", \.p70)
            Key("p71", \.p71); Key("p72", \.p72); Key("p73", \.p73); Key("p74", \.p74); Key("p75", \.p75)
            Key("p76", \.p76); Key("p77", \.p77); Key("p78", \.p78); Key("p79", \.p79); Key("p80", \.p80)
            Key("p81", \.p81); Key("p82", \.p82); Key("p83", \.p83); Key("p84", \.p84); Key("p85", \.p85)
            Key("p86", \.p86); Key("p87", \.p87); Key("p88", \.p88); Key("p89", \.p89); Key("p90", \.p90)
            Key("p91", \.p91); Key("p92", \.p92); Key("p93", \.p93); Key("p94", \.p94); Key("p95", \.p95)
            Key("p96", \.p96); Key("p97", \.p97); Key("p98", \.p98); Key("p99", \.p99); Key("p100", \.p100)
        }
    }
}

final class HundredKeys2: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    @Observed var p21 = 0; @Observed var p22 = 0; @Observed var p23 = 0; @Observed var p24 = 0; @Observed var p25 = 0
    @Observed var p26 = 0; @Observed var p27 = 0; @Observed var p28 = 0; @Observed var p29 = 0; @Observed var p30 = 0
    @Observed var p31 = 0; @Observed var p32 = 0; @Observed var p33 = 0; @Observed var p34 = 0; @Observed var p35 = 0
    @Observed var p36 = 0; @Observed var p37 = 0; @Observed var p38 = 0; @Observed var p39 = 0; @Observed var p40 = 0
    @Observed var p41 = 0; @Observed var p42 = 0; @Observed var p43 = 0; @Observed var p44 = 0; @Observed var p45 = 0
    @Observed var p46 = 0; @Observed var p47 = 0; @Observed var p48 = 0; @Observed var p49 = 0; @Observed var p50 = 0
    @Observed var p51 = 0; @Observed var p52 = 0; @Observed var p53 = 0; @Observed var p54 = 0; @Observed var p55 = 0
    @Observed var p56 = 0; @Observed var p57 = 0; @Observed var p58 = 0; @Observed var p59 = 0; @Observed var p60 = 0
    @Observed var p61 = 0; @Observed var p62 = 0; @Observed var p63 = 0; @Observed var p64 = 0; @Observed var p65 = 0
    @Observed var p66 = 0; @Observed var p67 = 0; @Observed var p68 = 0; @Observed var p69 = 0; @Observed var p70 = 0
    @Observed var p71 = 0; @Observed var p72 = 0; @Observed var p73 = 0; @Observed var p74 = 0; @Observed var p75 = 0
    @Observed var p76 = 0; @Observed var p77 = 0; @Observed var p78 = 0; @Observed var p79 = 0; @Observed var p80 = 0
    @Observed var p81 = 0; @Observed var p82 = 0; @Observed var p83 = 0; @Observed var p84 = 0; @Observed var p85 = 0
    @Observed var p86 = 0; @Observed var p87 = 0; @Observed var p88 = 0; @Observed var p89 = 0; @Observed var p90 = 0
    @Observed var p91 = 0; @Observed var p92 = 0; @Observed var p93 = 0; @Observed var p94 = 0; @Observed var p95 = 0
    @Observed var p96 = 0; @Observed var p97 = 0; @Observed var p98 = 0; @Observed var p99 = 0; @Observed var p100 = 0
    override class var schema: Schema {
        Schema(HundredKeys2.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
            Key("p21", \.p21); Key("p22", \.p22); Key("p23", \.p23); Key("p24", \.p24); Key("p25", \.p25)
            Key("p26", \.p26); Key("p27", \.p27); Key("p28", \.p28); Key("p29", \.p29); Key("p30", \.p30)
            Key("p31", \.p31); Key("p32", \.p32); Key("p33", \.p33); Key("p34", \.p34); Key("p35", \.p35)
            Key("p36", \.p36); Key("p37", \.p37); Key("p38", \.p38); Key("p39", \.p39); Key("p40", \.p40)
            Key("p41", \.p41); Key("p42", \.p42); Key("p43", \.p43); Key("p44", \.p44); Key("p45", \.p45)
            Key("p46", \.p46); Key("p47", \.p47); Key("p48", \.p48); Key("p49", \.p49); Key("p50", \.p50)
            Key("p51", \.p51); Key("p52", \.p52); Key("p53", \.p53); Key("p54", \.p54); Key("p55", \.p55)
            Key("p56", \.p56); Key("p57", \.p57); Key("p58", \.p58); Key("p59", \.p59); Key("p60", \.p60)
            Key("p61", \.p61); Key("p62", \.p62); Key("p63", \.p63); Key("p64", \.p64); Key("p65", \.p65)
            Key("p66", \.p66); Key("p67", \.p67); Key("p68", \.p68); Key("p69", \.p69); Key("p70", \.p70)
            Key("p71", \.p71); Key("p72", \.p72); Key("p73", \.p73); Key("p74", \.p74); Key("p75", \.p75)
            Key("p76", \.p76); Key("p77", \.p77); Key("p78", \.p78); Key("p79", \.p79); Key("p80", \.p80)
            Key("p81", \.p81); Key("p82", \.p82); Key("p83", \.p83); Key("p84", \.p84); Key("p85", \.p85)
            Key("p86", \.p86); Key("p87", \.p87); Key("p88", \.p88); Key("p89", \.p89); Key("p90", \.p90)
            Key("p91", \.p91); Key("p92", \.p92); Key("p93", \.p93); Key("p94", \.p94); Key("p95", \.p95)
            Key("p96", \.p96); Key("p97", \.p97); Key("p98", \.p98); Key("p99", \.p99); Key("p100", \.p100)
        }
    }
}

final class HundredKeys3: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    @Observed var p21 = 0; @Observed var p22 = 0; @Observed var p23 = 0; @Observed var p24 = 0; @Observed var p25 = 0
    @Observed var p26 = 0; @Observed var p27 = 0; @Observed var p28 = 0; @Observed var p29 = 0; @Observed var p30 = 0
    @Observed var p31 = 0; @Observed var p32 = 0; @Observed var p33 = 0; @Observed var p34 = 0; @Observed var p35 = 0
    @Observed var p36 = 0; @Observed var p37 = 0; @Observed var p38 = 0; @Observed var p39 = 0; @Observed var p40 = 0
    @Observed var p41 = 0; @Observed var p42 = 0; @Observed var p43 = 0; @Observed var p44 = 0; @Observed var p45 = 0
    @Observed var p46 = 0; @Observed var p47 = 0; @Observed var p48 = 0; @Observed var p49 = 0; @Observed var p50 = 0
    @Observed var p51 = 0; @Observed var p52 = 0; @Observed var p53 = 0; @Observed var p54 = 0; @Observed var p55 = 0
    @Observed var p56 = 0; @Observed var p57 = 0; @Observed var p58 = 0; @Observed var p59 = 0; @Observed var p60 = 0
    @Observed var p61 = 0; @Observed var p62 = 0; @Observed var p63 = 0; @Observed var p64 = 0; @Observed var p65 = 0
    @Observed var p66 = 0; @Observed var p67 = 0; @Observed var p68 = 0; @Observed var p69 = 0; @Observed var p70 = 0
    @Observed var p71 = 0; @Observed var p72 = 0; @Observed var p73 = 0; @Observed var p74 = 0; @Observed var p75 = 0
    @Observed var p76 = 0; @Observed var p77 = 0; @Observed var p78 = 0; @Observed var p79 = 0; @Observed var p80 = 0
    @Observed var p81 = 0; @Observed var p82 = 0; @Observed var p83 = 0; @Observed var p84 = 0; @Observed var p85 = 0
    @Observed var p86 = 0; @Observed var p87 = 0; @Observed var p88 = 0; @Observed var p89 = 0; @Observed var p90 = 0
    @Observed var p91 = 0; @Observed var p92 = 0; @Observed var p93 = 0; @Observed var p94 = 0; @Observed var p95 = 0
    @Observed var p96 = 0; @Observed var p97 = 0; @Observed var p98 = 0; @Observed var p99 = 0; @Observed var p100 = 0
    override class var schema: Schema {
        Schema(HundredKeys3.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
            Key("p21", \.p21); Key("p22", \.p22); Key("p23", \.p23); Key("p24", \.p24); Key("p25", \.p25)
            Key("p26", \.p26); Key("p27", \.p27); Key("p28", \.p28); Key("p29", \.p29); Key("p30", \.p30)
            Key("p31", \.p31); Key("p32", \.p32); Key("p33", \.p33); Key("p34", \.p34); Key("p35", \.p35)
            Key("p36", \.p36); Key("p37", \.p37); Key("p38", \.p38); Key("p39", \.p39); Key("p40", \.p40)
            Key("p41", \.p41); Key("p42", \.p42); Key("p43", \.p43); Key("p44", \.p44); Key("p45", \.p45)
            Key("p46", \.p46); Key("p47", \.p47); Key("p48", \.p48); Key("p49", \.p49); Key("p50", \.p50)
            Key("p51", \.p51); Key("p52", \.p52); Key("p53", \.p53); Key("p54", \.p54); Key("p55", \.p55)
            Key("p56", \.p56); Key("p57", \.p57); Key("p58", \.p58); Key("p59", \.p59); Key("p60", \.p60)
            Key("p61", \.p61); Key("p62", \.p62); Key("p63", \.p63); Key("p64", \.p64); Key("p65", \.p65)
            Key("p66", \.p66); Key("p67", \.p67); Key("p68", \.p68); Key("p69", \.p69); Key("p70", \.p70)
            Key("p71", \.p71); Key("p72", \.p72); Key("p73", \.p73); Key("p74", \.p74); Key("p75", \.p75)
            Key("p76", \.p76); Key("p77", \.p77); Key("p78", \.p78); Key("p79", \.p79); Key("p80", \.p80)
            Key("p81", \.p81); Key("p82", \.p82); Key("p83", \.p83); Key("p84", \.p84); Key("p85", \.p85)
            Key("p86", \.p86); Key("p87", \.p87); Key("p88", \.p88); Key("p89", \.p89); Key("p90", \.p90)
            Key("p91", \.p91); Key("p92", \.p92); Key("p93", \.p93); Key("p94", \.p94); Key("p95", \.p95)
            Key("p96", \.p96); Key("p97", \.p97); Key("p98", \.p98); Key("p99", \.p99); Key("p100", \.p100)
        }
    }
}

final class HundredKeys4: TrackedObject {
    @Observed var p1 = 0; @Observed var p2 = 0; @Observed var p3 = 0; @Observed var p4 = 0; @Observed var p5 = 0
    @Observed var p6 = 0; @Observed var p7 = 0; @Observed var p8 = 0; @Observed var p9 = 0; @Observed var p10 = 0
    @Observed var p11 = 0; @Observed var p12 = 0; @Observed var p13 = 0; @Observed var p14 = 0; @Observed var p15 = 0
    @Observed var p16 = 0; @Observed var p17 = 0; @Observed var p18 = 0; @Observed var p19 = 0; @Observed var p20 = 0
    @Observed var p21 = 0; @Observed var p22 = 0; @Observed var p23 = 0; @Observed var p24 = 0; @Observed var p25 = 0
    @Observed var p26 = 0; @Observed var p27 = 0; @Observed var p28 = 0; @Observed var p29 = 0; @Observed var p30 = 0
    @Observed var p31 = 0; @Observed var p32 = 0; @Observed var p33 = 0; @Observed var p34 = 0; @Observed var p35 = 0
    @Observed var p36 = 0; @Observed var p37 = 0; @Observed var p38 = 0; @Observed var p39 = 0; @Observed var p40 = 0
    @Observed var p41 = 0; @Observed var p42 = 0; @Observed var p43 = 0; @Observed var p44 = 0; @Observed var p45 = 0
    @Observed var p46 = 0; @Observed var p47 = 0; @Observed var p48 = 0; @Observed var p49 = 0; @Observed var p50 = 0
    @Observed var p51 = 0; @Observed var p52 = 0; @Observed var p53 = 0; @Observed var p54 = 0; @Observed var p55 = 0
    @Observed var p56 = 0; @Observed var p57 = 0; @Observed var p58 = 0; @Observed var p59 = 0; @Observed var p60 = 0
    @Observed var p61 = 0; @Observed var p62 = 0; @Observed var p63 = 0; @Observed var p64 = 0; @Observed var p65 = 0
    @Observed var p66 = 0; @Observed var p67 = 0; @Observed var p68 = 0; @Observed var p69 = 0; @Observed var p70 = 0
    @Observed var p71 = 0; @Observed var p72 = 0; @Observed var p73 = 0; @Observed var p74 = 0; @Observed var p75 = 0
    @Observed var p76 = 0; @Observed var p77 = 0; @Observed var p78 = 0; @Observed var p79 = 0; @Observed var p80 = 0
    @Observed var p81 = 0; @Observed var p82 = 0; @Observed var p83 = 0; @Observed var p84 = 0; @Observed var p85 = 0
    @Observed var p86 = 0; @Observed var p87 = 0; @Observed var p88 = 0; @Observed var p89 = 0; @Observed var p90 = 0
    @Observed var p91 = 0; @Observed var p92 = 0; @Observed var p93 = 0; @Observed var p94 = 0; @Observed var p95 = 0
    @Observed var p96 = 0; @Observed var p97 = 0; @Observed var p98 = 0; @Observed var p99 = 0; @Observed var p100 = 0
    override class var schema: Schema {
        Schema(HundredKeys4.self, extending: super.schema) {
            Key("p1", \.p1); Key("p2", \.p2); Key("p3", \.p3); Key("p4", \.p4); Key("p5", \.p5)
            Key("p6", \.p6); Key("p7", \.p7); Key("p8", \.p8); Key("p9", \.p9); Key("p10", \.p10)
            Key("p11", \.p11); Key("p12", \.p12); Key("p13", \.p13); Key("p14", \.p14); Key("p15", \.p15)
            Key("p16", \.p16); Key("p17", \.p17); Key("p18", \.p18); Key("p19", \.p19); Key("p20", \.p20)
            Key("p21", \.p21); Key("p22", \.p22); Key("p23", \.p23); Key("p24", \.p24); Key("p25", \.p25)
            Key("p26", \.p26); Key("p27", \.p27); Key("p28", \.p28); Key("p29", \.p29); Key("p30", \.p30)
            Key("p31", \.p31); Key("p32", \.p32); Key("p33", \.p33); Key("p34", \.p34); Key("p35", \.p35)
            Key("p36", \.p36); Key("p37", \.p37); Key("p38", \.p38); Key("p39", \.p39); Key("p40", \.p40)
            Key("p41", \.p41); Key("p42", \.p42); Key("p43", \.p43); Key("p44", \.p44); Key("p45", \.p45)
            Key("p46", \.p46); Key("p47", \.p47); Key("p48", \.p48); Key("p49", \.p49); Key("p50", \.p50)
            Key("p51", \.p51); Key("p52", \.p52); Key("p53", \.p53); Key("p54", \.p54); Key("p55", \.p55)
            Key("p56", \.p56); Key("p57", \.p57); Key("p58", \.p58); Key("p59", \.p59); Key("p60", \.p60)
            Key("p61", \.p61); Key("p62", \.p62); Key("p63", \.p63); Key("p64", \.p64); Key("p65", \.p65)
            Key("p66", \.p66); Key("p67", \.p67); Key("p68", \.p68); Key("p69", \.p69); Key("p70", \.p70)
            Key("p71", \.p71); Key("p72", \.p72); Key("p73", \.p73); Key("p74", \.p74); Key("p75", \.p75)
            Key("p76", \.p76); Key("p77", \.p77); Key("p78", \.p78); Key("p79", \.p79); Key("p80", \.p80)
            Key("p81", \.p81); Key("p82", \.p82); Key("p83", \.p83); Key("p84", \.p84); Key("p85", \.p85)
            Key("p86", \.p86); Key("p87", \.p87); Key("p88", \.p88); Key("p89", \.p89); Key("p90", \.p90)
            Key("p91", \.p91); Key("p92", \.p92); Key("p93", \.p93); Key("p94", \.p94); Key("p95", \.p95)
            Key("p96", \.p96); Key("p97", \.p97); Key("p98", \.p98); Key("p99", \.p99); Key("p100", \.p100)
        }
    }
}
