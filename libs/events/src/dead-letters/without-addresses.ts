const email = /[^\s@<>()[\]{}"',;:=]+(?:@|%40)[^\s@<>()[\]{}"',;:=]+/gi
const ipv4 = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
const ipv6 = /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}(?![\w:])/gi

/** The text with every email address and IP address replaced by `[address]`. */
export const withoutAddresses = (text: string): string =>
  [email, ipv4, ipv6].reduce((cleaned, pattern) => cleaned.replaceAll(pattern, '[address]'), text)
