import type { JSX } from 'react';

type Head = string | readonly [name: string, className: string];

/** The names of a table's columns, with a class where the column has one. */
export const TableHead = ({ heads }: { heads: readonly Head[] }): JSX.Element => (
  <thead>
    <tr>
      {heads.map((head) => {
        const [name, className] = typeof head === 'string' ? [head] : head;
        return (
          <th key={name} scope="col" className={className}>
            {name}
          </th>
        );
      })}
    </tr>
  </thead>
);

export const numberHead = (name: string): Head => [name, 'pp-num'];
