/** White-label names of this build, from resources/branding.json. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const branding = z.looseObject({
  productName: z.string().min(1),
  serviceName: z.string().min(1),
  /** The product name that replaces `{product}` in a new connection. */
  product: z.string().min(1).optional(),
});
export type Branding = z.infer<typeof branding> & { product: string };

const NEUTRAL: Branding = { productName: 'Parapet', serviceName: 'Email security service', product: 'guard' };

/** A missing or invalid file gives the neutral names. */
export async function readBranding(resources: string): Promise<Branding> {
  try {
    const parsed = branding.parse(JSON.parse(await readFile(join(resources, 'branding.json'), 'utf8')));
    return { ...parsed, product: parsed.product ?? NEUTRAL.product };
  } catch {
    return NEUTRAL;
  }
}
