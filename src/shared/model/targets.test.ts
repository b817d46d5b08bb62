import { expect, it } from 'vitest';
import { targetKind, targetWords } from './targets.ts';

it('an action names what it is done to: users by their name, clicks by their defanged link', () => {
  const words = (domain: string, row: Readonly<Record<string, string>>) => {
    const { names, people } = targetKind(domain);
    const first = (ids: readonly string[]) => ids.map((id) => row[id]).find(Boolean) ?? null;
    return targetWords(domain, { name: first(names), recipient: first(people) });
  };
  const address = 'j.cohen@corp.example';
  expect(words('user', { title: 'Finance manager', name: 'Jürgen Cohen', email: address })).toBe(
    `user “Jürgen Cohen” at ${address}`,
  );
  expect(words('group', { name: 'Legal', email: 'legal@corp.example', owner: address })).toBe(
    'group “Legal” at legal@corp.example',
  );
  expect(words('file', { title: 'a.pdf', owner: address })).toBe(`file “a.pdf” of ${address}`);
  expect(words('click', { subject: 'Invoice', url: 'https://lure.example/a', user: address })).toBe(
    `click “hxxps://lure[.]example/a” by ${address}`,
  );
  expect(words('message', { text: 'See https://lure.example/a', sender: address })).toBe(
    `message “See hxxps://lure[.]example/a” from ${address}`,
  );
  expect(words('email', { subject: 'Invoice', to: address })).toBe(`email “Invoice” to ${address}`);
});
