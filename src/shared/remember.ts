/** `read` with a memory of at most `most` answers, as mails name the same few texts again and again. */
export function remembering<T>(most: number, read: (text: string) => T): (text: string) => T {
  const answers = new Map<string, T>();
  return (text) => {
    let answer = answers.get(text);
    if (answer === undefined) {
      answer = read(text);
      if (answers.size >= most) answers.clear();
      answers.set(text, answer);
    }
    return answer;
  };
}

/** `read` with a memory of what it answered for each object, as long as that object is in use. */
export function onceFor<K extends WeakKey, T>(read: (object: K) => T): (object: K) => T {
  const answers = new WeakMap<K, T>();
  return (object) => {
    let answer = answers.get(object);
    if (answer === undefined) {
      answer = read(object);
      answers.set(object, answer);
    }
    return answer;
  };
}
