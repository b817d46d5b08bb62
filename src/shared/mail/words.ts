import { dictionary } from '#shared/dictionary.ts';
import { exact } from '../model/format.ts';
import type { HeaderFacts, SummaryLine } from './analysis.ts';
import { type AuthResult, mostTelling, toneOf } from './authentication.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A hop that takes longer is mentioned. */
const SLOW = 5 * MINUTE;

/** A length of time in words: `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 1 h`. */
export function durationWords(ms: number): string {
  const length = Math.abs(ms);
  const two = (big: number, unit: string, small: number, minor: string): string => {
    const rest = Math.floor((length % big) / small);
    return `${Math.floor(length / big)} ${unit}${rest > 0 ? ` ${rest} ${minor}` : ''}`;
  };
  if (length < SECOND) return `${length} ms`;
  if (length < MINUTE) return `${Math.round(length / SECOND)} s`;
  if (length < HOUR) return two(MINUTE, 'min', SECOND, 's');
  if (length < DAY) return two(HOUR, 'h', MINUTE, 'min');
  return two(DAY, 'd', HOUR, 'h');
}

function says(result: AuthResult): string {
  const { server } = result.source;
  if (result.trust === 'claimed')
    return `according to a header that ${server === null ? 'names no server' : `names ${server}`} and that the sender could have written`;
  return `says ${server ?? 'the server that wrote the header'}`;
}

const ALIGNMENT = (result: AuthResult): string =>
  result.aligned === null
    ? ''
    : result.aligned
      ? ', the domain of From'
      : ', which is not the domain of From';

function spfWords(spf: AuthResult, facts: HeaderFacts): SummaryLine {
  const domain = spf.domain ?? 'the envelope sender';
  const by = says(spf);
  const text: Record<string, string> = dictionary({
    pass: `SPF: the sending server may send for ${domain}${ALIGNMENT(spf)}, ${by}.`,
    fail: `SPF failed: the sending server may not send for ${domain}, ${by}.`,
    softfail: `SPF soft failure: the sending server is probably not allowed to send for ${domain}, ${by}.`,
    neutral: `SPF: ${domain} makes no statement about the sending server, ${by}.`,
    none: `SPF: ${domain} publishes no rule, ${by}.`,
    temperror: `SPF could not be checked at the time (temporary error), ${by}.`,
    permerror: `SPF could not be checked: the rule of ${domain} is broken, ${by}.`,
  });
  return {
    tone: toneOf(spf, facts),
    text: text[spf.result] ?? `SPF: "${spf.result}" for ${domain}, ${by}.`,
  };
}

function dkimWords(dkim: AuthResult, facts: HeaderFacts): SummaryLine {
  const domain = dkim.domain ?? 'an unnamed domain';
  const by = says(dkim);
  const text: Record<string, string> = dictionary({
    pass: `DKIM: the mail left ${domain}${ALIGNMENT(dkim)}, and its signed parts were not changed since, ${by}.`,
    fail: `DKIM failed: the signature of ${domain} does not match the mail, ${by}.`,
    none: `DKIM: the mail carried no signature, ${by}.`,
    neutral: `DKIM: the signature of ${domain} could not be evaluated, ${by}.`,
    policy: `DKIM: the signature of ${domain} was not accepted by local policy, ${by}.`,
    temperror: `DKIM could not be checked at the time (temporary error), ${by}.`,
    permerror: `DKIM: the signature of ${domain} is broken, ${by}.`,
    unchecked: `The mail carries a DKIM signature of ${domain}, but no header reports that it was checked.`,
  });
  return {
    tone: toneOf(dkim, facts),
    text: text[dkim.result] ?? `DKIM: "${dkim.result}" for ${domain}, ${by}.`,
  };
}

function dmarcWords(dmarc: AuthResult, facts: HeaderFacts): SummaryLine {
  const domain = dmarc.domain ?? 'the domain of From';
  const by = says(dmarc);
  const text: Record<string, string> = dictionary({
    pass: `DMARC passed: ${domain} in From is backed by SPF or DKIM, ${by}.`,
    fail: `DMARC failed: neither SPF nor DKIM backs ${domain} in From, ${by}.`,
    none: `DMARC: ${domain} publishes no policy, ${by}.`,
    bestguesspass: `DMARC: ${domain} publishes no policy; it would have passed, ${by}.`,
    temperror: `DMARC could not be checked at the time (temporary error), ${by}.`,
    permerror: `DMARC could not be checked: the policy of ${domain} is broken, ${by}.`,
  });
  const other = dmarc.aligned === false ? ' The header names a different domain than From.' : '';
  return {
    tone: toneOf(dmarc, facts),
    text: (text[dmarc.result] ?? `DMARC: "${dmarc.result}" for ${domain}, ${by}.`) + other,
  };
}

function arcWords(arc: NonNullable<HeaderFacts['arc']>): SummaryLine {
  const sealers = arc.instances.flatMap(({ domain }) => (domain === null ? [] : [domain]));
  const via = sealers.length > 0 ? ` (sealed by ${sealers.slice(0, 5).join(', ')})` : '';
  if (arc.result === 'unchecked') {
    return {
      tone: 'neutral',
      text: `The mail carries an ARC chain${via}, but no header reports that it was checked.`,
    };
  }
  const believed = arc.trust === 'vouched';
  const older = believed ? '' : ', according to a header that the sender could have written';
  if (arc.result === 'pass') {
    return { tone: 'neutral', text: `ARC: the chain of forwarders is intact${via}${older}.` };
  }
  return {
    tone: arc.result === 'fail' && believed ? 'warning' : 'neutral',
    text: `ARC: the chain is reported as "${arc.result}"${via}${older}.`,
  };
}

/** Signatures with a sentence of their own; a sender can add any number. */
const MOST_SIGNATURES = 5;

/** Sentences about SPF, DKIM, DMARC and ARC, and who reports them. */
export function authWords(facts: HeaderFacts): SummaryLine[] {
  const lines: SummaryLine[] = [];
  if (facts.dmarc) lines.push(dmarcWords(facts.dmarc, facts));
  // A domain often signs twice, with keys of two kinds: one sentence for both.
  const signatures = Map.groupBy(
    mostTelling(facts.dkim).map((dkim) => dkimWords(dkim, facts)),
    ({ text }) => text,
  );
  const list = [...signatures.values()].slice(0, MOST_SIGNATURES);
  lines.push(...list.flatMap(([line]) => line ?? []));
  const more = facts.dkim.length - list.flat().length;
  if (more > 0)
    lines.push({
      tone: 'neutral',
      text:
        more === 1
          ? '1 more DKIM signature is in the headers.'
          : `${exact(more)} more DKIM signatures are in the headers.`,
    });
  if (facts.spf) lines.push(spfWords(facts.spf, facts));
  if (facts.arc) lines.push(arcWords(facts.arc));
  if (facts.results.some((result) => result.trust === 'vouched')) {
    lines.push({
      tone: 'neutral',
      text: `Only the results of ${facts.authServer ?? 'the last server'} can be trusted: it received the mail last. Others can be forged.`,
    });
  } else if (facts.results.some((result) => result.trust === 'claimed')) {
    lines.push({
      tone: 'warning',
      text: 'The SPF, DKIM and DMARC results in this mail are unverified claims: none of them stands above the topmost Received header under the name of the server that wrote it.',
    });
  } else {
    lines.push({
      tone: 'warning',
      text: 'No header reports a check of SPF, DKIM or DMARC; the sender is unverified.',
    });
  }
  return lines;
}

export function hopWords(facts: HeaderFacts): SummaryLine[] {
  const { hops, unreadHops, totalDelay } = facts;
  if (hops.length === 0)
    return [{ tone: 'neutral', text: 'The mail has no Received header; its route is unknown.' }];
  const took = totalDelay !== null && totalDelay >= 0 ? durationWords(totalDelay) : null;
  const count = hops.length === 1 ? 'one server' : `${exact(hops.length + unreadHops)} servers`;
  const lines: SummaryLine[] = [
    {
      tone: 'neutral',
      text:
        unreadHops === 0
          ? `The mail passed through ${count}${took === null ? '' : ` in ${took}`}.`
          : `The mail passed through ${count}. Only the last ${exact(hops.length)} are analysed${took === null ? '' : `; they took ${took}`}.`,
    },
  ];
  const slowest = hops.reduce((worst, hop) => ((hop.delay ?? 0) > (worst.delay ?? 0) ? hop : worst));
  if ((slowest.delay ?? 0) >= SLOW) {
    lines.push({
      tone: 'warning',
      text: `It waited ${durationWords(slowest.delay ?? 0)} before ${slowest.by ?? 'an unnamed server'} accepted it.`,
    });
  }
  const skewed = hops.filter((hop) => hop.skewed);
  if (skewed.length > 0) {
    const worst = Math.max(...skewed.map((hop) => -(hop.delay ?? 0)));
    lines.push({
      tone: 'neutral',
      text: `Clocks along the way disagree by up to ${durationWords(worst)}, or lower Received headers are not genuine.`,
    });
  }
  const unzoned = hops.filter((hop) => hop.zoneMissing).length;
  if (unzoned > 0) {
    lines.push({
      tone: 'neutral',
      text: `${unzoned} of ${hops.length} Received headers name no time zone; their times are read as UTC.`,
    });
  }
  const guessed = hops.filter((hop) => hop.isTimeGuessed).length;
  if (guessed > 0) {
    lines.push({
      tone: 'neutral',
      text: `${guessed} of ${hops.length} Received headers have their time in another place or form than mail requires; it may be misread.`,
    });
  }
  const implausible = hops.filter((hop) => hop.isImplausible).length;
  if (implausible > 0) {
    lines.push({
      tone: 'neutral',
      text: `${implausible} of ${hops.length} Received headers ${implausible === 1 ? 'has a time that no mail can have; it is' : 'have times that no mail can have; they are'} left out of these durations.`,
    });
  }
  const plain = hops.filter((hop) => hop.tls === false).length;
  if (plain > 0) {
    lines.push({
      tone: 'neutral',
      text: `${plain} of ${hops.length} hops unencrypted.`,
    });
  }
  return lines;
}
