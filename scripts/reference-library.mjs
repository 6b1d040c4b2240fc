import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const entry = fileURLToPath(new URL('../dist/types/index.d.ts', import.meta.url));

/** The public API as its built types declare it. */
export class LibraryTypes {
  #checker;
  #exports;

  constructor() {
    const program = ts.createProgram([entry], {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: [],
      noEmit: true,
    });
    this.#checker = program.getTypeChecker();
    const module = this.#checker.getSymbolAtLocation(program.getSourceFile(entry));
    this.#exports = this.#checker.getExportsOfModule(module);
  }

  /** The name, the kind and the sentence of documentation of every export. */
  exports() {
    return this.#exports.map((symbol) => {
      const { flags } = this.#resolved(symbol);
      const kind =
        flags & ts.SymbolFlags.Class ? 'class' : flags & ts.SymbolFlags.Function ? 'function' : 'type';
      return { name: symbol.name, kind, about: this.#about(this.#resolved(symbol)) };
    });
  }

  /**
   * The methods of what `open()` gives, each with its calls: parameters, what it resolves to, and the fields of a
   * row. A call whose rows depend on a value that is unknown when it is compiled repeats the others, and is left out.
   */
  methods() {
    const asof = this.#exports.find(({ name }) => name === 'Asof');
    return this.#checker
      .getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(asof))
      .filter(({ name }) => /^\w+$/.test(name))
      .map((symbol) => {
        const type = this.#checker.getTypeOfSymbol(symbol);
        return {
          name: symbol.name,
          about: this.#about(symbol),
          iterates: type.getProperty('all') !== undefined,
          calls: type.getCallSignatures().flatMap((signature) => this.#call(signature) ?? []),
        };
      });
  }

  #resolved(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #about(symbol) {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).replaceAll('\n', ' ');
  }

  /** The members of an exported type. */
  members(name) {
    const symbol = this.#exports.find((one) => one.name === name);
    if (symbol === undefined) throw new Error(`the library exports no '${name}'`);
    return this.#members(this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol)));
  }

  #call(signature) {
    const params = signature.parameters.flatMap((symbol) => {
      const type = this.#checker.getTypeOfSymbol(symbol);
      const { dotDotDotToken, questionToken, initializer } = symbol.valueDeclaration ?? {};
      if (dotDotDotToken === undefined) {
        const name = symbol.name.replace(/^__\d+$/, 'options');
        return [{ name, type, isOptional: (questionToken ?? initializer) !== undefined }];
      }
      const { labeledElementDeclarations, minLength } = type.target;
      return this.#checker.getTypeArguments(type).map((part, i) => ({
        name: labeledElementDeclarations?.[i]?.name.getText() ?? '',
        type: part,
        isOptional: i >= minLength,
      }));
    });
    const returned = signature.getReturnType();
    const [resolved] = this.#checker.getTypeArguments(returned);
    const row = resolved?.aliasSymbol?.name === 'Result' ? resolved.aliasTypeArguments?.[0] : undefined;
    if (row?.isUnion()) return undefined;
    return {
      params: params.flatMap(({ name, type, isOptional }) => {
        const members = this.#members(type);
        // Parameters of a method that takes none.
        if (members.length === 0 && isOptional && name === 'params') return [];
        return [{ name, isOptional, members, text: this.#text(type) }];
      }),
      result: this.#text(returned),
      row:
        row === undefined
          ? undefined
          : { text: this.#text(row), members: row.aliasSymbol?.name === 'WideRow' ? [] : this.#members(row) },
    };
  }

  /** The properties of an object type, those of all members of a union; none of a text, a list or the like. */
  #members(type) {
    const bare = this.#checker.getNonNullableType(type);
    const parts = bare.isUnion() ? bare.types : [bare];
    const objects = ts.TypeFlags.Object | ts.TypeFlags.Intersection;
    const isObject = (part) =>
      (part.flags & objects) !== 0 && !this.#checker.isArrayType(part) && !this.#checker.isTupleType(part);
    if (!parts.every(isObject)) return [];
    const members = new Map();
    for (const symbol of parts.flatMap((part) => this.#checker.getPropertiesOfType(part))) {
      const found = this.#checker.getTypeOfSymbol(symbol);
      const before = members.get(symbol.name);
      members.set(symbol.name, {
        name: symbol.name,
        about: before?.about || this.#about(symbol),
        isOptional: before?.isOptional === true || (symbol.flags & ts.SymbolFlags.Optional) !== 0,
        parts: [...(before?.parts ?? []), ...this.#parts(found)],
      });
    }
    // What can only be undefined cannot be given.
    return [...members.values()]
      .filter(({ parts }) => parts.length > 0)
      .map(({ parts, ...member }) => ({ ...member, text: shown(parts) }));
  }

  #text(type) {
    return shown(this.#parts(type));
  }

  /** The texts of a type that is not undefined, or of those of a union. */
  #parts(type) {
    const parts = type.isUnion() ? type.types : [type];
    return parts
      .filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
      .map((part) => this.#checker.typeToString(part, undefined, ts.TypeFormatFlags.NoTruncation))
      .map((text) =>
        text
          .replace(/^readonly \w+<.*>\[\]$|^readonly \{.*\}\[\]$/, 'readonly object[]')
          .replaceAll('"', "'"),
      );
  }
}

/** A type as the reference shows it: null last, long unions and the objects in lists cut short. */
function shown(texts) {
  const isOne = (text) => texts.includes(text);
  // `number & readonly number[]` is nothing.
  const isNothing = (text) => text.includes(' & ') && text.split(' & ').every(isOne);
  const distinct = [...new Set(texts)].filter((text) => text !== 'null' && !isNothing(text));
  const isBoolean = isOne('false') && isOne('true');
  const named = isBoolean
    ? [...distinct.filter((text) => text !== 'false' && text !== 'true'), 'boolean']
    : distinct;
  const short = named.length > 14 ? [named[0], '…', named.at(-1)] : named;
  return [...short, ...(isOne('null') ? ['null'] : [])].join(' | ');
}
