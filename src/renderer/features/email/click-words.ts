/** What an empty list of clicks means: nobody clicked, or nobody counted. */
import type { AnswerOf } from '#shared/api/catalogue.ts';
import type { EmailProfile } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { parseLinkReplacement } from '#shared/model/link-replacement.ts';

type Links = Pick<EmailProfile, 'links' | 'link_replacement'>;

const isReplaced = (state: string | null | undefined): boolean =>
  parseLinkReplacement(state)?.replaced === true;

/** Whether a click on this link would have been counted: only replaced links lead through the service. */
export const isCounted = (
  status: string | null | undefined,
  whole: string | null | undefined,
  clicks: AnswerOf<'scan.clicks'> | undefined,
): boolean =>
  clicks !== undefined && clicks.counted !== false && (status ? isReplaced(status) : isReplaced(whole));

/** `profile` undefined: its links are not known (yet). */
export function noClicks(
  clicks: AnswerOf<'scan.clicks'>,
  profile: Links | undefined,
): { known: boolean; title: string; reason: string } {
  if (clicks.counted === false)
    return {
      known: false,
      title: 'Clicks are not counted',
      reason: 'Nothing counts clicks on this email. Recipients may have clicked.',
    };
  const links = profile?.links ?? [];
  const counted = links.filter(({ status }) => isCounted(status, profile?.link_replacement, clicks)).length;
  if (counted === 0 && !isReplaced(profile?.link_replacement))
    return {
      known: false,
      title: 'No clicks recorded',
      reason:
        'Click-time protection sees clicks on replaced links only, and no link of this email is recorded as replaced. Recipients may have clicked.',
    };
  const which =
    counted === 0
      ? 'on the replaced links'
      : `on ${exact(counted)} replaced ${counted === 1 ? 'link' : 'links'}`;
  const rest = links.length - counted;
  return {
    known: true,
    title: 'No clicks',
    reason: `Click-time protection counted 0 clicks ${which}.${
      rest > 0 && counted > 0 ? ` Clicks on the other ${exact(rest)} are not seen.` : ''
    }`,
  };
}
