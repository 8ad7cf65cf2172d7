import { METHODS } from 'node:http'

/** The end of a message's body: after a number of bytes, with its last chunk, or with the connection. */
export type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'until close' }

export interface Header {
  /** the whole line, as it arrived */
  line: string
  /** the name in lower case */
  key: string
  value: string
}

export interface RequestHead {
  method: string
  /** path and query, in the form for the service */
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
  /** the connection accepts no further request */
  isLast: boolean
}

const methods = new Set(METHODS.filter((method) => method !== 'CONNECT'))
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Also a CR or LF that is not the end of a line. */
const control = /[^\t\x20-\x7e\x80-\xff]/

const namesMax = 1_000
/** Names of headers that were checked before, in lower case. */
const knownKeys = new Map<string, string>()

/** The name in lower case; undefined when it is not a token. */
function keyOf(name: string): string | undefined {
  const known = knownKeys.get(name)
  if (known !== undefined || !token.test(name)) return known
  const key = name.toLowerCase()
  if (knownKeys.size < namesMax) knownKeys.set(name, key)
  return key
}

/** Every value of that name; undefined when there is none. */
export function valueOf(headers: readonly Header[], key: string): string | undefined {
  let found: string | undefined
  for (const header of headers)
    if (header.key === key) found = found === undefined ? header.value : `${found}, ${header.value}`
  return found
}

/** The lines after the first one. Undefined for a line that another server might read differently (RFC 9112, 5). */
function headersOf(lines: readonly string[]): Header[] | undefined {
  const headers: Header[] = []
  for (let n = 1; n < lines.length; n += 1) {
    const line = lines[n]!
    const colon = line.indexOf(':')
    const key = colon === -1 ? undefined : keyOf(line.slice(0, colon))
    if (key === undefined || control.test(line)) return undefined
    headers.push({ line, key, value: line.slice(colon + 1).trim() })
  }
  return headers
}

/** Undefined for an ambiguous length, which could be used to smuggle requests. */
function framingOf(headers: readonly Header[], withoutLength: Framing): Framing | undefined {
  let found: Header | undefined
  for (const header of headers) {
    if (header.key !== 'content-length' && header.key !== 'transfer-encoding') continue
    if (found) return undefined
    found = header
  }
  if (!found) return withoutLength
  const { key, value } = found
  if (key === 'transfer-encoding') return value.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined
  return /^\d{1,15}$/.test(value) ? { kind: 'length', bytes: Number(value) } : undefined
}

const nothing: Framing = { kind: 'length', bytes: 0 }

/** The head of a request, without the empty line after it; undefined for one that is refused with 400. */
export function readRequestHead(text: string): RequestHead | undefined {
  const lines = text.split('\r\n')
  const [method = '', target = '', protocol = '', ...more] = lines[0]!.split(' ')
  const version = protocol === 'HTTP/1.1' ? '1.1' : protocol === 'HTTP/1.0' ? '1.0' : undefined
  const path = originForm(target)
  if (!methods.has(method) || path === undefined || !version || more.length > 0) return undefined
  const headers = headersOf(lines)
  const hosts = headers?.filter(({ key }) => key === 'host') ?? []
  const framing = headers && framingOf(headers, nothing)
  if (!headers || !framing || hosts.length !== 1 || (version === '1.0' && framing.kind === 'chunked')) return undefined
  return { method, path, version, headers, host: hosts[0]!.value, framing }
}

/** The path in the form for the service: a caller may also send a whole URL (RFC 9112, 3.2.2). */
function originForm(target: string): string | undefined {
  if (/[^\x21-\x7e\x80-\xff]/.test(target)) return undefined
  if (target.startsWith('/') || target === '*') return target
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** The head of the answer to a request with that method; undefined for an invalid one, which is 502. */
export function readResponseHead(text: string, method: string): ResponseHead | undefined {
  const lines = text.split('\r\n')
  const statusLine = lines[0]!
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
