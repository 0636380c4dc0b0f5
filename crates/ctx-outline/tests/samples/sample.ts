import type { Reader } from './reader';

export type Shape<T> =
  | { kind: 'circle'; radius: number }
  | { kind: 'list'; items: Array<Shape<T>>; map: (value: T) => { next: T } };

export interface Store<K extends string> {
  readonly size: number;
  get(key: K): { value: string } | undefined;
  on(event: 'change', listener: (key: K) => void): this;
}

declare global {
  interface Window { store: Store<string> }
}

export enum Level {
  Low = 'low',
  High = 'high',
}

@Injectable({ scope: 'request' })
export abstract class Service<T extends object = {}> implements Store<string> {
  private readonly cache = new Map<string, { value: T }>();
  handler: (value: T) => { done: boolean };

  constructor(private readonly reader: Reader) {
    super();
    this.handler = () => ({ done: true });
  }

  @Log()
  async load<K>(key: K, options: { force?: boolean } = {}): Promise<{ value: T; key: K }> {
    const found = this.cache.get(String(key));
    return { value: found!.value, key };
  }

  /** Sets a header of the response. */
  header: SetHeaders<T> = (name, value?: T): void => {
    this.cache.set(name, { value });
  };

  protected fetch?: (request: Request) => Promise<Response> = async (request) => {
    return this.reader(request);
  };

  abstract close(): void;

  isReady(): this is Service<T> & { ready: true } {
    return Boolean(this.cache.size && this.reader);
  }
}

export function overload(value: string): string;
export function overload(value: number): number;
export function overload(value: any): any {
  const same = value;
  return same;
}

export const useStore = <T,>(initial: T): [T, (next: T) => void] => {
  let value = initial;
  return [value, (next) => { value = next; }];
};

namespace Inner {
  export const pi = 3;
  export function twice(x: number) {
    const doubled = x * 2;
    return doubled;
  }
}

export function bounded<T extends { a: string; b?: { c: number } }>(x: T, y: T["a"]): void {
  const one = 1;
  if (x.a === y) {
    log(one);
  }
  log(x);
}

export class Bounded<T extends { id: string }> {
  get<U extends { id: string }>(key: U): T | undefined {
    const found = this.all[key.id];
    this.count += 1;
    return found;
  }
}
