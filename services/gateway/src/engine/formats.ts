import { domainToASCII } from 'node:url'
import { isUuid } from '../domain/uuid.ts'

/** The string formats of the OpenAPI documents, stricter than the standard ones where a loose value would cause harm. */

const local = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const asciiDomain =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** An address with surrounding blanks allowed and an internationalised domain accepted. */
export function isEmail(value: string): boolean {
  const trimmed = value.trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 1 || at > 64 || trimmed.length > 320) return false
  const domain = trimmed.slice(at + 1)
  return (
    local.test(trimmed.slice(0, at)) && !/[\s%]/.test(domain) && asciiDomain.test(domainToASCII(domain).toLowerCase())
  )
}

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

function isRealDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  return day <= (month === 2 && !isLeap(year) ? 28 : monthDays[month - 1]!)
}

export function isDate(value: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  return parts !== null && isRealDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** RFC 3339 with an offset, a date that exists, no leap second, and a moment within the years 1 to 9999 of UTC. */
export function isDateTime(value: string): boolean {
  const parts = dateTime.exec(value)
  if (!parts) return false
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = parts
    .slice(1)
    .map((part) => Number(part ?? 0))
  if (
    !isRealDate(year!, month!, day!) ||
    hour! > 23 ||
    minute! > 59 ||
    second! > 59 ||
    offsetHour! > 23 ||
    offsetMinute! > 59
  )
    return false
  const ms = Date.parse(value.toUpperCase())
  return ms >= firstMs && ms <= lastMs
}

function webUrl(value: string): URL | null {
  if (value.length > 2_048 || /[\s\\]/.test(value) || !URL.canParse(value)) return null
  const url = new URL(value)
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
    ? url
    : null
}

export const isHttpsUrl = (value: string): boolean => webUrl(value)?.protocol === 'https:'

/** Scheme, host and port alone: no path, query, fragment or trailing slash. */
export const isOrigin = (value: string): boolean => /^https?:\/\/[^/?#@]+$/i.test(value) && webUrl(value) !== null

export const formats = {
  email: isEmail,
  'idn-email': isEmail,
  date: isDate,
  'date-time': isDateTime,
  uuid: isUuid,
  uri: (value: string) => webUrl(value) !== null,
  'https-url': isHttpsUrl,
  origin: isOrigin,
} as const

/** How a format is told to a person who sent something else. */
export const formatNames: Readonly<Record<string, string>> = {
  email: 'an email address',
  'idn-email': 'an email address',
  date: 'a date that exists, such as 2026-01-31',
  'date-time': 'a date and time that exists, with an offset, such as 2026-01-31T09:00:00Z',
  uuid: 'a UUID',
  uri: 'an http or https URL without a user or password',
  'https-url': 'an https URL',
  origin: 'an origin such as https://example.com, without path or trailing slash',
}
