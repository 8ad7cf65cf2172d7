import { METHODS } from 'node:http'

/** How the body of a message ends: after so many bytes, with its last chunk, or with the connection. */
export type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'until close' }

export interface Header {
  name: string
  /** lower case */
  key: string
  value: string
}

export interface RequestHead {
  method: string
  /** path and query, as a server expects them */
  path: string
  version: '1.0' | '1.1'
  headers: readonly Header[]
  host: string
  framing: Framing
}

export interface ResponseHead {
  statusLine: string
  status: number
  headers: readonly Header[]
  framing: Framing
  /** the connection takes no further request */
  isLast: boolean
}

const methods = new Set(METHODS.filter((method) => method !== 'CONNECT'))
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const control = /[^\t\x20-\x7e\x80-\xff]/

/** Every value of that name, undefined when there is none. */
export function valueOf(headers: readonly Header[], key: string): string | undefined {
  const found = headers.filter((header) => header.key === key)
  return found.length === 0 ? undefined : found.map(({ value }) => value).join(', ')
}

/** Undefined for a line that another server might read in another way (RFC 9112, 5). */
function headersOf(lines: readonly string[]): Header[] | undefined {
  const headers: Header[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!token.test(name) || control.test(line)) return undefined
    headers.push({ name, key: name.toLowerCase(), value: line.slice(colon + 1).trim() })
  }
  return headers
}

/** Undefined where the length could be read in two ways, which is how requests are smuggled. */
function framingOf(headers: readonly Header[], withoutLength: Framing): Framing | undefined {
  const lengths = headers.filter(({ key }) => key === 'content-length')
  const codings = headers.filter(({ key }) => key === 'transfer-encoding')
  if (lengths.length + codings.length === 0) return withoutLength
  if (lengths.length + codings.length > 1) return undefined
  if (codings.length === 1) return codings[0]!.value.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined
  return /^\d{1,15}$/.test(lengths[0]!.value) ? { kind: 'length', bytes: Number(lengths[0]!.value) } : undefined
}

const nothing: Framing = { kind: 'length', bytes: 0 }

/** The head of a request without the empty line after it; undefined for one that is not passed on: 400. */
export function readRequestHead(text: string): RequestHead | undefined {
  const [line = '', ...lines] = text.split('\r\n')
  const [method = '', target = '', protocol = '', ...more] = line.split(' ')
  const version = protocol === 'HTTP/1.1' ? '1.1' : protocol === 'HTTP/1.0' ? '1.0' : undefined
  const path = originForm(target)
  if (!methods.has(method) || path === undefined || !version || more.length > 0) return undefined
  const headers = headersOf(lines)
  const hosts = headers?.filter(({ key }) => key === 'host') ?? []
  const framing = headers && framingOf(headers, nothing)
  if (!headers || !framing || hosts.length !== 1 || (version === '1.0' && framing.kind === 'chunked')) return undefined
  return { method, path, version, headers, host: hosts[0]!.value, framing }
}

/** The path as a server expects it: a caller may also send a whole URL (RFC 9112, 3.2.2). */
function originForm(target: string): string | undefined {
  if (/[^\x21-\x7e\x80-\xff]/.test(target)) return undefined
  if (target.startsWith('/') || target === '*') return target
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** The head of the answer to a request with that method; undefined for one that cannot be understood: 502. */
export function readResponseHead(text: string, method: string): ResponseHead | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const [, version, code] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(statusLine) ?? []
  const headers = headersOf(lines)
  if (code === undefined || !headers || control.test(statusLine)) return undefined
  const status = Number(code)
  const isEmpty = method === 'HEAD' || status === 204 || status === 304 || status < 200
  const framing = isEmpty ? nothing : framingOf(headers, { kind: 'until close' })
  if (!framing) return undefined
  const connection = valueOf(headers, 'connection')?.toLowerCase() ?? ''
  const isLast = framing.kind === 'until close' || connection.includes('close') || version === '0'
  return { statusLine, status, headers, framing, isLast }
}
