import { describe, expect, it } from 'vitest';
import { chipsOf, filterFor, filterOut, toggle } from './filter-state.ts';

describe('the filter of the map', () => {
  it('includes or excludes a value, never both', () => {
    const forAda = filterFor({}, 'users', 'ada@corp.example');
    expect(forAda.users).toEqual(['ada@corp.example']);
    const against = filterOut(forAda, 'users', 'ada@corp.example');
    expect(against).toMatchObject({ users: [], not: { users: ['ada@corp.example'] } });
    expect(filterFor(against, 'users', 'ada@corp.example')).toMatchObject({ not: { users: [] } });
  });

  it('normalises users and addresses to the form shown in the lists', () => {
    const added = filterFor({}, 'users', ' Ada@Corp.example');
    expect(added.users).toEqual(['ada@corp.example']);
    expect(toggle(added, 'users', 'ada@corp.example').users).toEqual([]);
    expect(filterOut(added, 'users', 'ADA@corp.example')).toMatchObject({
      users: [],
      not: { users: ['ada@corp.example'] },
    });
    expect(filterFor({}, 'countries', 'GB').countries).toEqual(['GB']);
  });

  it('toggles a value', () => {
    const on = toggle({}, 'countries', 'NG');
    expect(on.countries).toEqual(['NG']);
    expect(toggle(on, 'countries', 'NG').countries).toEqual([]);
  });

  it('has a chip for each part, which removes that part', () => {
    const filter = {
      ...filterOut({ users: ['a'] }, 'ips', '192.0.2.1'),
      hours: [25],
      box: [0, 0, 1, 1] as const,
    };
    expect(chipsOf(filter).map(({ text }) => text)).toEqual(['a', 'not 192.0.2.1', 'Tue 01:00', 'map area']);
    const rest = chipsOf(filter).reduce(
      (now, { id }) => chipsOf(now).find((chip) => chip.id === id)?.rest ?? now,
      filter as object,
    );
    expect(chipsOf(rest)).toEqual([]);
  });
});
