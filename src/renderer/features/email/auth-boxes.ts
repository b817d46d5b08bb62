/** SPF, DKIM, DMARC and ARC as four small boxes: the result, how far it can be trusted, and one line of detail. */

import type { HeaderAnalysis } from '#shared/mail/analysis.ts';
import { type AuthResult, mostTelling, toneOf } from '#shared/mail/authentication.ts';
import { plural } from '#shared/model/format.ts';

export interface AuthBox {
  name: 'SPF' | 'DKIM' | 'DMARC' | 'ARC';
  result: string;
  tone: 'good' | 'bad' | 'caution' | 'none';
  detail: string;
}

const believed = (result: AuthResult) => result.trust === 'vouched';

const TONES = { good: 'good', neutral: 'none', warning: 'caution', bad: 'bad' } as const;
const boxTone = (result: AuthResult, analysis: HeaderAnalysis): AuthBox['tone'] =>
  TONES[toneOf(result, analysis)];

/** Alignment is shown only for results that passed: an unproven domain is not aligned with anything. */
function domainWords(result: AuthResult): string {
  if (result.trust === 'claimed') return 'unverified claim';
  if (result.trust === 'presence') return 'signed, result not reported';
  if (result.result === 'none' && result.method === 'dkim') return 'no signature';
  if (result.domain === null) return 'no domain given';
  if (result.result !== 'pass') return `for ${result.domain}`;
  return result.aligned === true ? 'aligned with From' : `for ${result.domain}, not aligned`;
}

function dkimBox(analysis: HeaderAnalysis): AuthBox {
  const results = analysis.dkim;
  // A valid signature of From's own domain takes precedence; otherwise the box agrees with the first sentence.
  const best =
    results.find((result) => result.result === 'pass' && result.aligned === true && believed(result)) ??
    mostTelling(results)[0];
  if (!best) return { name: 'DKIM', result: 'none', tone: 'none', detail: 'no signature' };
  const more = results.length > 1 ? `, ${results.length} signatures` : '';
  return {
    name: 'DKIM',
    result: best.result,
    tone: boxTone(best, analysis),
    detail: domainWords(best) + more,
  };
}

function spfBox(analysis: HeaderAnalysis): AuthBox {
  const { spf, results } = analysis;
  if (!spf) return { name: 'SPF', result: 'none', tone: 'none', detail: 'not reported' };
  // Authentication-Results seldom names the address; Received-SPF of the same check does.
  const ip = results.find(
    (result) =>
      result.method === 'spf' &&
      result.result === spf.result &&
      believed(result) &&
      result.properties['client-ip'],
  )?.properties['client-ip'];
  const words = domainWords(spf);
  return {
    name: 'SPF',
    result: spf.result,
    tone: boxTone(spf, analysis),
    detail: ip && believed(spf) ? `${ip}, ${words}` : words,
  };
}

function dmarcBox(analysis: HeaderAnalysis): AuthBox {
  const { dmarc } = analysis;
  if (!dmarc) return { name: 'DMARC', result: 'none', tone: 'none', detail: 'not reported' };
  const policy =
    dmarc.properties['policy.dmarc'] ??
    dmarc.properties['policy.published-domain-policy'] ??
    /\bp\s*=\s*(\w+)/i.exec(dmarc.reason ?? '')?.[1];
  const words = believed(dmarc) && policy ? `policy ${policy.toLowerCase()}` : domainWords(dmarc);
  return { name: 'DMARC', result: dmarc.result, tone: boxTone(dmarc, analysis), detail: words };
}

function arcBox(arc: HeaderAnalysis['arc']): AuthBox {
  if (arc === null || arc.instances.length === 0) {
    return { name: 'ARC', result: arc?.result ?? 'none', tone: 'none', detail: 'no seals' };
  }
  const seals = plural(arc.instances.length, 'seal');
  const sure = arc.trust === 'vouched';
  const tone = sure && arc.result === 'fail' ? 'caution' : sure && arc.result === 'pass' ? 'good' : 'none';
  return { name: 'ARC', result: arc.result, tone, detail: seals };
}

export const authBoxes = (analysis: HeaderAnalysis): AuthBox[] => [
  spfBox(analysis),
  dkimBox(analysis),
  dmarcBox(analysis),
  arcBox(analysis.arc),
];
