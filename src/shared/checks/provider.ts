/** What gateways on the way found. Anybody may have written their headers, so they convict and never acquit. */
import { dictionary } from '../dictionary.ts';
import { type Check, check, inHeader } from './check.ts';
import { gatewayClaims } from './gateways.ts';

const WEIGHTS: Readonly<Record<string, number>> = dictionary({
  hphsh: 5,
  phsh: 5,
  malw: 6,
  amp: 4,
  hspm: 3.5,
  spm: 2,
  ospm: 3,
  spoof: 4,
  bimp: 4,
  dimp: 4,
  gimp: 4,
  uimp: 4,
  intos: 3,
  bulk: 1.5,
});

export const PROVIDER_CHECKS: readonly Check[] = [
  check('provider.verdict', 'Gateway found something', 3.5, (mail) => {
    const claims = gatewayClaims(mail.headers).flatMap((claim) => {
      const weight = WEIGHTS[claim.code];
      return weight === undefined ? [] : [{ ...claim, weight }];
    });
    const [worst] = claims.toSorted((a, b) => b.weight - a.weight);
    return worst === undefined
      ? null
      : {
          sentence: `A gateway on the way found: ${worst.words}`,
          place: inHeader(worst.header, worst.value),
          weight: worst.weight,
        };
  }),
  check('provider.junk', 'Delivered to the junk folder', 2.5, (mail) => {
    const delivery = mail.headers.find(
      ({ name, value }) =>
        /^x-microsoft-antispam-mailbox-delivery$/i.test(name) && /(?:^|;)\s*dest:J/i.test(value),
    );
    return delivery === undefined
      ? null
      : {
          sentence: 'The mail server delivered it to the junk folder',
          place: inHeader(delivery.name, 'dest:J'),
        };
  }),
];
