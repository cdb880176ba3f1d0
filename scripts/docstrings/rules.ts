import ts from 'typescript';
import { aliased, docsOf, hasTag, isOurs, placeOf, type Published } from './symbols.ts';

/** Words of which one says what a number counts, in the name of the member or in its docstring. */
const UNITS =
  /bytes?|\bms\b|milliseconds?|seconds?|\b0 to 1\b|ratio|ports?\b|how (many|often)|number of|count|generation|status code|HTTP status|index|priority|schema|Kubernetes' own/i;
/** Fields of any Kubernetes object; their names and types say all. */
const KUBERNETES =
  /^(apiVersion|kind|metadata|name|namespace|uid|labels|annotations|ownerReferences|resourceVersion|generation|finalizers|\w+Timestamp)$/;

/** The faults of one export, a line each: `<file>:<line> <name>: expected …`. */
export function symbolFaults(program: ts.Program, { name, symbol, declarations }: Published): readonly string[] {
  const checker = program.getTypeChecker();
  const [first] = declarations;
  if (!first || isNameOfOther(first, checker)) return [];
  const isCalled = declarations.some((declaration) => ts.isClassDeclaration(declaration) || functionIn(declaration) !== undefined);
  const place = placeOf(first, name);
  return [
    ...(docsOf(symbol, checker) ? [] : [`${place}: expected a docstring, found none`]),
    ...(isCalled && !hasTag(symbol, 'example') ? [`${place}: expected an @example, since users call it`] : []),
    ...(isCalled && !hasTag(symbol, 'throws') && declarations.some((each) => throws(each, checker))
      ? [`${place}: expected @throws, since it throws or calls what does`]
      : []),
    ...declarations.flatMap((declaration) => memberFaults(declaration, name, checker)),
  ];
}

/** `type Container = V1Container`: its package has the docstring. `type Mount = Static<typeof mountSpec>`: the schema has. */
function isNameOfOther(declaration: ts.Declaration, checker: ts.TypeChecker): boolean {
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isTypeReferenceNode(declaration.type)) return false;
  const { typeName, typeArguments = [] } = declaration.type;
  const target = checker.getSymbolAtLocation(typeName);
  const isOther = target !== undefined && !isOurs(aliased(checker, target));
  return isOther && typeArguments.every(ts.isTypeQueryNode);
}

function memberFaults(declaration: ts.Declaration, owner: string, checker: ts.TypeChecker): readonly string[] {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  const members: readonly ts.Node[] =
    ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type)
      ? declaration.type.members
      : ts.isTypeAliasDeclaration(declaration)
        ? []
        : declaration.members;
  return members.flatMap((member) => {
    if (!isMember(member) || ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Override)) return [];
    const symbol = checker.getSymbolAtLocation(member.name);
    if (!symbol || ts.isPrivateIdentifier(member.name)) return [];
    const [name, docs, place] = [symbol.name, docsOf(symbol, checker), placeOf(member, `${owner}.${symbol.name}`)];
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    const isNumber = holdsNumbers(type, checker);
    return [
      ...(docs || KUBERNETES.test(name) || saysAll(type, checker) ? [] : [`${place}: expected a docstring, found none`]),
      ...(isNumber && !KUBERNETES.test(name) && !UNITS.test(`${name} ${docs}`)
        ? [`${place}: expected the unit of a number, found ${JSON.stringify(docs)}`]
        : []),
      ...(ts.isMethodDeclaration(member) && !hasTag(symbol, 'throws') && throws(member, checker)
        ? [`${place}: expected @throws, since it throws or calls what does`]
        : []),
    ];
  });
}

const isMember = (node: ts.Node): node is ts.PropertySignature | ts.PropertyDeclaration | ts.MethodSignature | ts.MethodDeclaration =>
  ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isMethodSignature(node) || ts.isMethodDeclaration(node);

/** An interface or a class with a name has a docstring of its own; a text, a number, a map or a function says nothing by itself. */
function saysAll(type: ts.Type, checker: ts.TypeChecker): boolean {
  const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  const named = (element ?? type).aliasSymbol ?? (element ?? type).symbol;
  return named !== undefined && /^[A-Z]\w*$/.test(named.name) && !['Readonly', 'Record', 'Partial', 'Array'].includes(named.name);
}

function holdsNumbers(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.flags & ts.TypeFlags.Number) return true;
  const { typeArguments = [] } = {
    typeArguments: checker.isArrayType(type) || checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [],
  };
  const indexed = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  return [...typeArguments, ...(indexed ? [indexed] : [])].some((each) => (each.flags & ts.TypeFlags.Number) !== 0);
}

function functionIn(declaration: ts.Declaration): ts.Node | undefined {
  if (ts.isFunctionDeclaration(declaration)) return declaration;
  const { initializer } = ts.isVariableDeclaration(declaration) ? declaration : {};
  return initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)) ? initializer : undefined;
}

const known = new Map<ts.Node, boolean>();

/** Whether a declaration's code throws outside of a `try`, itself or in a function of ours that it calls. */
function throws(declaration: ts.Node, checker: ts.TypeChecker): boolean {
  const before = known.get(declaration);
  if (before !== undefined) return before;
  // The other statements decide for a function that calls itself.
  known.set(declaration, false);
  const result = someNode(declaration, (node) => {
    if (ts.isThrowStatement(node)) return true;
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
    const called = checker.getSymbolAtLocation(ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression);
    if (!called) return false;
    const symbol = aliased(checker, called);
    return (
      isOurs(symbol) && (hasTag(symbol, 'throws') || (symbol.declarations ?? []).some((each) => isCode(each) && throws(each, checker)))
    );
  });
  known.set(declaration, result);
  return result;
}

const isCode = (declaration: ts.Declaration): boolean =>
  functionIn(declaration) !== undefined || ts.isMethodDeclaration(declaration) || ts.isClassDeclaration(declaration);

function someNode(node: ts.Node, holds: (node: ts.Node) => boolean): boolean {
  if (holds(node)) return true;
  const children: ts.Node[] = [];
  // A `try` with a `catch` throws what the latter throws.
  if (ts.isTryStatement(node) && node.catchClause) children.push(node.catchClause, ...(node.finallyBlock ? [node.finallyBlock] : []));
  else ts.forEachChild(node, (child) => void children.push(child));
  return children.some((child) => someNode(child, holds));
}
