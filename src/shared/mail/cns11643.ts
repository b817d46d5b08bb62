/**
 * The planes 1 and 2 of CNS 11643, which ISO-2022-CN writes Chinese in traditional characters with, by their place in
 * Big5: `place in the plane:place in Big5:how many follow in the same order`. Derived from the tables of glibc's iconv.
 */
const PLANE_1 = `0:0:5 6:6:15 21:23:2 24:22:1 29:29:44 73:74:1 74:73:1 75:75:21 98:98:1 100:100:27 127:128:1 128:127:1
130:130:14 146:146:2 148:149:1 149:148:1 150:150:4 155:21:1 156:156:78 282:234:29 312:264:1 314:266:142
3290:471:17 3307:263:1 3308:489:86 3394:265:1 3395:576:1307 4702:1884:424 5126:1883:1 5127:2308:1876
7003:4571:1 7004:4184:387 7391:4572:525 7916:5286:1 7917:5097:105 8023:5203:83 8106:5287:84 8190:5517:1
8191:5371:54 8245:5426:1 8246:5425:1 8247:5427:90 8337:5518:354`;
const PLANE_2 = `0:6280:10 10:6291:33 43:6372:1 44:6324:48 92:6373:46 138:6586:1 139:6419:167 306:6587:1840 2146:9074:1
2147:8428:108 2255:8537:537 2792:8427:1 2793:9075:100 2893:8536:1 2894:9175:399 3293:9575:1637 4930:11761:1
4931:11212:146 5077:11899:1 5078:11358:287 5365:12508:1 5366:11645:116 5482:11762:137 5619:11900:104
5723:12425:1 5724:12004:222 5946:12227:198 6144:12426:82 6226:12509:86 6312:12226:1 6313:12595:8
6321:12604:153 6474:12758:56 6530:13114:1 6531:12814:113 6644:12603:1 6645:12927:142 6787:12757:1
6788:13069:45 6833:13115:71 6904:13380:1 6905:13186:194 7099:13381:490 7589:13914:1 7590:13871:43
7633:13915:1 7634:13917:11 7645:13916:1 7646:13928:4`;

/** Cells in a row of Big5, whose second bytes have a gap after the first 63. */
const BIG5_ROW = 157;
const BEFORE_GAP = 63;
const CNS_ROW = 94;

type Run = readonly [cell: number, big5: number, length: number];
const runsOf = (plane: string): Run[] =>
  plane.split(/\s+/).map((run) => {
    const [cell = 0, big5 = 0, length = 0] = run.split(':').map(Number);
    return [cell, big5, length];
  });
let planes: readonly (readonly Run[])[] | null = null;

/** The bytes in Big5 of a character of CNS 11643 by its two bytes, or null if Big5 lacks it. */
export function big5Bytes(plane: 1 | 2, row: number, column: number): Uint8Array | null {
  planes ??= [runsOf(PLANE_1), runsOf(PLANE_2)];
  const cell = (row - 0x21) * CNS_ROW + column - 0x21;
  const run = planes[plane - 1]?.find(([start, , length]) => cell >= start && cell < start + length);
  if (run === undefined) return null;
  const place = run[1] + cell - run[0];
  const rest = place % BIG5_ROW;
  const second = rest < BEFORE_GAP ? 0x40 + rest : 0xa1 + rest - BEFORE_GAP;
  return Uint8Array.of(0xa1 + Math.floor(place / BIG5_ROW), second);
}
