/** EBCDIC, the code pages of mainframes, which Outlook reads while neither browsers nor iconv-lite do. */
import { dictionary } from '#shared/dictionary.ts';

/** Code page 37. */
const BASE =
  '\x00\x01\x02\x03\x9c\x09\x86\x7f\x97\x8d\x8e\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x9d\x85\x08\x87\x18\x19\x92\x8f\x1c\x1d\x1e\x1f\x80\x81\x82\x83\x84\x0a\x17\x1b\x88\x89\x8a\x8b\x8c\x05\x06\x07\x90\x91\x16\x93\x94\x95\x96\x04\x98\x99\x9a\x9b\x14\x15\x9e\x1a' +
  ' \xa0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="' +
  'Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×' +
  '{ABCDEFGHI\xadôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\x9f';

/** By code page, what differs from 37: two hex digits of a byte, and its character. */
const PAGES: Readonly<Record<string, string>> = dictionary({
  37: '',
  273: '43{4aÄ4f!59~5aÜ5f^63[6aö7c§a1ßb0¢b5@ba¬bb|bc‾c0äcc¦d0üdc}e0Öec\\fc]',
  277: '47}4a#4f!5a¤5bÅ5f^67$6aø70¦7bÆ7cØ80@9c{9e[9f]a1üb0¢ba¬bb|c0æd0ådc~',
  278: '43{47}4a§4f!51`5a¤5bÅ5f^63#67$6aö71\\79é7bÄ7cÖ9f]a1üb0¢b5[ba¬bb|c0äcc¦d0ådc~e0Éec@',
  280: '44{48\\4a°4f!51]54}58~5aé5f^6aò79ù7b£7c§90[a1ìb0¢b1#b5@ba¬bb|c0àcd¦d0èdd`e0ç',
  284: '49¦4a[5a]69#6añ7bÑa1¨b0¢ba^bb!bd~',
  285: '4a$5b£a1‾b0¢b1[ba^bc~',
  297: '44@48\\4a°4f!51{54}5a§5f^6aù79µ7b£7cà90[a0`a1¨b0¢b1#b5]ba¬bb|bd~c0éd0èdd¦e0ç',
  424: '41א42ב43ג44ד45ה46ו47ז48ח49ט51י52ך53כ54ל55ם56מ57ן58נ59ס62ע63ף64פ65ץ66צ67ק68ר69ש70\ufffd71ת72\ufffd73\ufffd74\xa075\ufffd76\ufffd77\ufffd78‗80\ufffd8c\ufffd8d\ufffd8e\ufffd9a\ufffd9b\ufffd9c\ufffd9e\ufffdaa\ufffdab\ufffdac\ufffdad\ufffdae\ufffdcb\ufffdcc\ufffdcd\ufffdce\ufffdcf\ufffddb\ufffddc\ufffddd\ufffdde\ufffddf\ufffdeb\ufffdec\ufffded\ufffdee\ufffdef\ufffdfb\ufffdfc\ufffdfd\ufffdfe\ufffd',
  500: '4a[4f!5a]5f^b0¢ba¬bb|',
  870: '44ţ46ă47č49ć4a[4f!52ę54ů57ľ58ĺ5a]5f^64˝66Ă67Č69Ć6a|70ˇ72Ę74Ů77Ľ78Ĺ80˘8aś8bň8cđ8eř8fş9ał9bń9cš9e˛a0ąaaŚabŇacĐaeŘafŞb0·b1Ąb2żb3Ţb4Żb6žb7źb8Žb9ŹbaŁbbŃbcŠcdŕcfődaĚdbűddťdfěeaďedŔefŐfaĎfbŰfdŤ',
  871: '4aÞ4f!5aÆ5fÖ79ð7cÐ8c`8e{9c}9e]a1öac@ae[b0¢ba¬bb|be\\c0þcc~d0æe0´ec^',
  875: '41Α42Β43Γ44Δ45Ε46Ζ47Η48Θ49Ι4a[4f!51Κ52Λ53Μ54Ν55Ξ56Ο57Π58Ρ59Σ5a]5f^62Τ63Υ64Φ65Χ66Ψ67Ω68Ϊ69Ϋ6a|70¨71Ά72Έ73Ή74\xa075Ί76Ό77Ύ78Ώ80΅8aα8bβ8cγ8dδ8eε8fζ9aη9bθ9cι9dκ9eλ9fμa0´aaνabξacοadπaeρafσb0£b1άb2έb3ήb4ϊb5ίb6όb7ύb8ϋb9ώbaςbbτbcυbdφbeχbfψcbωccΐcdΰce‘cf―da±db½dd·de’df¦eb§ee«ef¬fb©fe»',
  1025: '42ђ43ѓ44ё45є46ѕ47і48ї49ј4a[4f!51љ52њ53ћ54ќ55ў56џ57Ъ58№59Ђ5a]5f^62Ѓ63Ё64Є65Ѕ66І67Ї68Ј69Љ6a|70Њ71Ћ72Ќ73\xad74Ў75Џ76ю77а78б80ц8aд8bе8cф8dг8eх8fи90й9aк9bл9cм9dн9eо9fпa0яaaрabсacтadуaeжafвb0ьb1ыb2зb3шb4эb5щb6чb7ъb8Юb9АbaБbbЦbcДbdЕbeФbfГcaХcbИccЙcdКceЛcfМdaНdbОdcПddЯdeРdfСe1§eaТebУecЖedВeeЬefЫfaЗfbШfcЭfdЩfeЧ',
  1026: '48{4aÇ4f!5aĞ5bİ5f^68[6aş79ı7bÖ7cŞ7fÜ8c}8d`8e¦a1öac]ad$ae@b0¢ba¬bb|c0çcc~d0ğdc\\e0üec#fc"',
  1047: '5f^ad[b0¬baÝbb¨bd]',
});

/** Pages 1140 to 1149 are these with a euro sign for the sign of any currency. */
const WITH_EURO = [37, 273, 277, 278, 280, 284, 285, 297, 500, 871];

/** The 256 characters of a code page, or null. */
export function ebcdicCharacters(page: number): string | null {
  const base = WITH_EURO[page - 1140];
  const differences = PAGES[base ?? page];
  if (differences === undefined) return null;
  const characters = [...BASE];
  for (const [, byte = '', character = ''] of differences.matchAll(/([\da-f]{2})(.)/gu))
    characters[Number.parseInt(byte, 16)] = character;
  // Byte 0x15 ends a line there.
  const text = characters.join('').replace('\x85', '\n');
  return base === undefined ? text : text.replace('¤', '€');
}
