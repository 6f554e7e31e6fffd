/** What is wrong with a kubeconfig, naming the file and the field. */
export class KubeConfigError extends Error {
  constructor(file: string, field: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${field === '' ? '' : `${field} `}${problem}`, options);
    this.name = 'KubeConfigError';
  }
}

/** A value in the file together with where it stands, so that whatever is wrong with it can be said by name. */
export class Field {
  readonly file: string;
  readonly at: string;
  readonly value: unknown;

  constructor(file: string, at: string, value: unknown) {
    this.file = file;
    this.at = at;
    this.value = value ?? undefined;
  }

  get(name: string): Field {
    const at = this.at === '' ? name : `${this.at}.${name}`;
    if (this.value === undefined) return new Field(this.file, at, undefined);
    if (typeof this.value !== 'object' || Array.isArray(this.value)) throw this.problem('must be a mapping');
    return new Field(this.file, at, (this.value as Record<string, unknown>)[name]);
  }

  items(): Field[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) throw this.problem('must be a list');
    return this.value.map((item, index) => new Field(this.file, `${this.at}[${index}]`, item));
  }

  /** The entry of a list with that `name`. */
  named(list: string, name: string, asked: string): Field {
    const found = this.get(list)
      .items()
      .find((item) => item.get('name').text() === name);
    if (found) return new Field(this.file, `${list}[${name}]`, found.value);
    throw new KubeConfigError(this.file, asked, `asks for ${JSON.stringify(name)}, which is not in ${list}`);
  }

  text(): string | undefined {
    if (this.value === undefined || this.value === '') return undefined;
    if (typeof this.value !== 'string') throw this.problem('must be a string: put it in quotes');
    return this.value;
  }

  requiredText(): string {
    const text = this.text();
    if (text === undefined) throw this.problem('is missing');
    return text;
  }

  flag(): boolean | undefined {
    if (this.value === undefined || typeof this.value === 'boolean') return this.value;
    throw this.problem('must be true or false');
  }

  refuse(): void {
    if (this.value !== undefined) throw this.problem('is not supported: use another user entry, or kubectl with it');
  }

  problem(text: string, cause?: unknown): KubeConfigError {
    return new KubeConfigError(this.file, this.at, text, { cause });
  }
}
