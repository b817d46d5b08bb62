/** Attacks on the tenant: several mails each, connected by sender, wording, file or link. */
import { z } from 'zod';
import campaigns from '../../../resources/demo/campaigns.json' with { type: 'json' };

const sender = z.strictObject({ name: z.string(), email: z.string(), domain: z.string(), ip: z.string() });

const campaign = z.strictObject({
  id: z.string(),
  /** Number of mails in a tenant of 20 000 or more; smaller tenants get a proportional number, at least three. */
  mails: z.number(),
  /** The period in days before now: newest and oldest. */
  days: z.tuple([z.number(), z.number()]),
  verdict: z.enum(['phishing', 'malware', 'suspicious', 'fraud']),
  language: z.string(),
  subjects: z.array(z.string()),
  senders: z.array(sender),
  replyTo: z.string().optional(),
  attachment: z.strictObject({ name: z.string(), mime: z.string(), size: z.number() }).optional(),
  link: z.strictObject({ url: z.string(), text: z.string() }).optional(),
  reason: z.string(),
});
export type Campaign = z.infer<typeof campaign>;

export const CAMPAIGNS: readonly Campaign[] = z.array(campaign).parse(campaigns);
