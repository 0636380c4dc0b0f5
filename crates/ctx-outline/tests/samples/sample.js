'use strict';

import { readFile } from 'node:fs';

const SLASHES = /[/}]"{/g;
const table = {
  one: 1,
  add(a, b) {
    const sum = a + b;
    return `${sum} of ${[a, b].map((x) => `{${x}`).join('}')}`;
  },
  later: function () {
    return 10 / 2 / 1 + "a string } here";
  },
};

/** A queue. */
export class Queue extends Base {
  #items = [];
  static limit = 10;

  constructor(limit = { soft: 1 }) {
    super(limit);
    this.limit = limit.soft ?? Queue.limit;
  }

  get length() {
    // an unbalanced } brace
    return this.#items.length;
  }

  async *[Symbol.iterator]() {
    for (const item of this.#items) yield item;
    return /}/.test('x') ? 1 : 2;
  }

  handle = async (event) => {
    await this.push(event.detail.value);
  };
}

export const View = ({ name }) => (
  <p className="view">
    It's {name}
  </p>
);

if (process.env.DEBUG) {
  function debug(message) {
    console.log('debug', message, message);
  }
}

module.exports.run = function run(callback) {
  setTimeout(() => callback(null), 1000);
};

describe('queue', () => {
  it('pushes', () => { expect(new Queue().length).toBe(0); });
});
