import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { originalLink } from './rewritten-links.ts';

const safeLink = (url: string) =>
  `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(url)}&data=05%7C02%7Cann%40corp.example&sdata=x%3D&reserved=0`;

describe('the original of a rewritten link', () => {
  it.each([
    ['Safe Links', safeLink('https://evil.example/a?b=c+d&e=%20#f'), 'https://evil.example/a?b=c+d&e=%20#f'],
    [
      'Safe Links',
      'https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=https%3A%2F%2Fevil.example%2F&locale=en',
      'https://evil.example/',
    ],
    [
      'URL Defense',
      'https://urldefense.proofpoint.com/v1/url?u=http://www.bouncycastle.org/&amp;k=oIvRg1%2BdGAgOoM1BIlLLqw%3D%3D%0A',
      'http://www.bouncycastle.org/',
    ],
    [
      'URL Defense',
      'https://urldefense.proofpoint.com/v2/url?u=https-3A__media.mnn.com_assets_images_2016_06_jupiter-2Dnasa.jpg.638x0-5Fq80-5Fcrop-2Dsmart.jpg&d=DwMBaQ&c=V',
      'https://media.mnn.com/assets/images/2016/06/jupiter-nasa.jpg.638x0_q80_crop-smart.jpg',
    ],
    // Seen in public mailing lists: one character, runs of them, and a slash that a program removed.
    [
      'URL Defense',
      'https://urldefense.com/v3/__https://lore.kernel.org/linux-scsi/Ykqg0kr0F*2Fyzk2XW@infradead.org/__;JQ!!ACWV5N9M2RV99hQ!Mw$',
      'https://lore.kernel.org/linux-scsi/Ykqg0kr0F%2Fyzk2XW@infradead.org/',
    ],
    [
      'URL Defense',
      'https://urldefense.com/v3/__https://nl.example/V**A__;fn5-fn4!!O!8$',
      'https://nl.example/V~~',
    ],
    [
      'URL Defense',
      'https://urldefense.us/v3/__https:/evil.example/a**A*__;w6nDvMO2!!O!8$',
      'https://evil.example/aéüö',
    ],
    [
      'Barracuda',
      'https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fevil.example%2fy&c=E,1,CM-Du,&typo=1',
      'https://evil.example/y',
    ],
    [
      'Check Point',
      'https://protect.checkpoint.com/v2/r01/___https%3A//msrc.example/report/___.YzJ1OndlY29t',
      'https://msrc.example/report/',
    ],
    [
      'Check Point',
      'https://protect.checkpoint.com/v2/___https:/www.evil.example/a___.YzJ1',
      'https://www.evil.example/a',
    ],
    [
      'Check Point',
      'https://avanan.url-protection.com/v1/r01/url?o=https%3A//www.evil.example/team/&g=YWQ2',
      'https://www.evil.example/team/',
    ],
    [
      'Cisco Secure Email',
      'https://secure-web.cisco.com/1z0v_U78rf/https%3A%2F%2Fevil.example%2Fx%3Fy%3D1',
      'https://evil.example/x?y=1',
    ],
    [
      'Sophos',
      'https://us-west-2.protection.sophos.com/?d=w3schools.com&u=aHR0cHM6Ly93d3cudzNzY2hvb2xzLmNvbS9ob3d0by9ob3d0b19jc3NfdHdvX2NvbHVtbnMuYXNw&i=NjQ',
      'https://www.w3schools.com/howto/howto_css_two_columns.asp',
    ],
    [
      'Trend Micro',
      'https://ddec1-0-en-ctp.trendmicro.com/wis/clicktime/v1/query?url=https%3a%2f%2fevil%2dlogin.example%2f&umid=c',
      'https://evil-login.example/',
    ],
    [
      'Trellix',
      'https://protect2.fireeye.com/v1/url?k=45-1a&q=1&u=https%3A%2F%2Fevil.example%2F%23a',
      'https://evil.example/#a',
    ],
    [
      'Symantec',
      'https://clicktime.symantec.com/3KG6r?u=https%3A%2F%2Fevil.example%2F',
      'https://evil.example/',
    ],
    ['Google', 'https://www.google.com/url?q=https://evil.example/x&sa=D', 'https://evil.example/x'],
    ['Google', 'http://google.co.uk/url?sa=t&url=https%3A%2F%2Fevil.example', 'https://evil.example'],
    [
      'YouTube',
      'https://www.youtube.com/redirect?event=x&q=https%3A%2F%2Fevil.example',
      'https://evil.example',
    ],
    [
      'Facebook',
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fevil.example%2F&h=AT',
      'https://evil.example/',
    ],
    ['LinkedIn', 'https://www.linkedin.com/safety/go?url=https%3A%2F%2Fevil.example', 'https://evil.example'],
  ])('%s: %s', (name, written, url) =>
    expect(originalLink(written)).toEqual({ by: [name], url, isOpaque: false }),
  );

  it.each([
    // Only the server knows it, or the address is damaged.
    ['Mimecast', 'https://url.us.m.mimecastprotect.com/s/g7vnCER?domain=evil.example'],
    ['Mimecast', 'https://protect-eu.mimecast.com/s/abc'],
    ['Symantec', 'https://clicktime.symantec.com/a/1/3esCKton?d=wUox'],
    ['URL Defense', 'https://urldefense.com/v3/__https://evil.example/a*__;!tracking$'],
    ['Safe Links', 'https://eur01.safelinks.protection.outlook.com/?url=javascript%3Aalert(1)'],
    ['Safe Links', 'https://eur01.safelinks.protection.outlook.com/?data=x'],
    ['Check Point', 'https://protect.checkpoint.com/v2/r02/___myyux://jANq.jCfruqj___.YzJ1'],
  ])('%s does not say it: %s', (name, written) =>
    expect(originalLink(written)).toEqual({ by: [name], url: written, isOpaque: true }),
  );

  it.each([
    // Hosts that only look like the vendor's, and pages of the vendor.
    'https://safelinks.protection.outlook.com.evil.example/?url=https%3A%2F%2Fbank.example',
    'https://evil.example/safelinks.protection.outlook.com/?url=https%3A%2F%2Fbank.example',
    'https://eur01.safelinks.protection.outlook.com@evil.example/?url=https%3A%2F%2Fbank.example',
    'https://eur01-safelinks.protection.outlook.com/?url=https%3A%2F%2Fbank.example',
    'https://urldefense.com.evil.example/v3/__https://bank.example__;!!x!$',
    'https://xurldefense.com/v3/__https://bank.example__;!!x!$',
    'https://google.evil.example/url?q=https://bank.example',
    'https://www.google.com/search?q=https://bank.example',
    'https://linkprotect.cudasvc.com/',
    'javascript:https://www.google.com/url?q=https://bank.example',
    'no link',
  ])('%s was not rewritten', (written) => expect(originalLink(written)).toBeNull());

  it('is read through several rewriters, at most five', () => {
    const wrapped = (times: number): string =>
      times === 0 ? 'https://evil.example/' : safeLink(wrapped(times - 1));
    expect(originalLink(safeLink('https://urldefense.com/v3/__http://evil.example/__;!!x!$'))).toEqual({
      by: ['Safe Links', 'URL Defense'],
      url: 'http://evil.example/',
      isOpaque: false,
    });
    expect(originalLink(wrapped(5))).toMatchObject({ url: 'https://evil.example/', isOpaque: false });
    const deeper = originalLink(wrapped(6));
    expect(deeper).toMatchObject({ url: wrapped(1), isOpaque: true });
    expect(deeper?.by).toHaveLength(5);
  });

  it('takes linear time', async () => {
    for (const piece of ['*', '**A', '-', '_', '%41', '__;', 'https:/'])
      await expectLinear(7_000, (count) => {
        originalLink(`https://urldefense.com/v3/__https://a.example/${piece.repeat(count)}__;QUJD!!`);
        originalLink(`https://urldefense.com/v2/url?u=${piece.repeat(count)}`);
      });
  });
});
