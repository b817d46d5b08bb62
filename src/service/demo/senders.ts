/** External senders. Domains are reserved ones; addresses come from documentation ranges. */
import words from '../../../resources/demo/senders.json' with { type: 'json' };
import type { Random } from './prng.ts';

export interface Sender {
  name: string;
  email: string;
  domain: string;
  ip: string;
  kind: 'partner' | 'newsletter' | 'service' | 'spam' | 'private';
}

export const documentationIp = (rng: Random): string =>
  rng.chance(0.06)
    ? `2001:db8:${rng.int(1, 0xffff).toString(16)}:${rng.int(0, 9)}::${rng.int(1, 0xffff).toString(16)}`
    : `${rng.pick(['192.0.2', '198.51.100', '203.0.113'])}.${rng.int(1, 254)}`;

const title = (stem: string): string =>
  stem
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Partners first (most mail comes from few), then newsletters, services, private people, spammers. */
export function senders(rng: Random): Record<Sender['kind'], Sender[]> {
  const out: Record<Sender['kind'], Sender[]> = {
    partner: [],
    newsletter: [],
    service: [],
    spam: [],
    private: [],
  };
  for (const stem of words.companies) {
    const ip = documentationIp(rng);
    const domain = `${stem}.example`;
    for (let i = 0; i < 4; i += 1) {
      const index = rng.int(0, words.names.length - 1);
      const person =
        index > 4 && index < 9 ? (words.names[index] ?? '') : `${title(stem)} ${words.names[index] ?? ''}`;
      out.partner.push({
        name: person,
        email: `${words.locals[index]}@${domain}`,
        domain,
        ip,
        kind: 'partner',
      });
    }
    if (rng.chance(0.7)) {
      const news = `news.${domain}`;
      out.newsletter.push({
        name: `${title(stem)} News`,
        email: `newsletter@${news}`,
        domain: news,
        ip: documentationIp(rng),
        kind: 'newsletter',
      });
    }
  }
  for (const name of words.services) {
    const domain = `${name}.cloud.example`;
    out.service.push({
      name: `${title(name)} notifications`,
      email: `no-reply@${domain}`,
      domain,
      ip: documentationIp(rng),
      kind: 'service',
    });
  }
  for (let i = 0; i < 160; i += 1) {
    const domain = `bulk.mailer-${i}.${rng.pick(['example', 'test', 'invalid'])}`;
    out.spam.push({
      name: rng.pick(words.spam),
      email: `${rng.pick(['no-reply', 'info', 'win', 'offers'])}@${domain}`,
      domain,
      ip: documentationIp(rng),
      kind: 'spam',
    });
  }
  for (let i = 0; i < 240; i += 1) {
    const domain = rng.pick(['webmail.example', 'post.example', 'mailbox.example']);
    const user = `${rng.pick(['sam', 'kim', 'alex', 'noor', 'ivan', 'mika', 'rosa', 'li'])}${rng.int(1, 999)}`;
    out.private.push({
      name: title(user.replace(/\d+/, '')),
      email: `${user}@${domain}`,
      domain,
      ip: documentationIp(rng),
      kind: 'private',
    });
  }
  return out;
}
