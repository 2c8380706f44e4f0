/**
 * Former symbols of US companies that were renamed, by the year of the change, with their symbols of
 * today. No source lists former symbols, so this list covers well-known companies only. A former symbol
 * that a market lists again means the instrument that has it now.
 */
export const FORMER_SYMBOLS: ReadonlyMap<string, string> = new Map([
  // 2017
  ["COH", "TPR"],
  // 2018
  ["PCLN", "BKNG"],
  // 2019
  ["BBT", "TFC"],
  ["DWDP", "DD"],
  ["HRS", "LHX"],
  ["JEC", "J"],
  ["KORS", "CPRI"],
  ["TMK", "GL"],
  // 2020
  ["ARNC", "HWM"],
  ["CTL", "LUMN"],
  ["UTX", "RTX"],
  // 2021
  ["COG", "CTRA"],
  ["LB", "BBWI"],
  // 2022
  ["ANTM", "ELV"],
  ["BLL", "BALL"],
  ["FB", "META"],
  ["NLOK", "GEN"],
  ["WLTW", "WTW"],
  // 2023
  ["ABC", "COR"],
  ["PKI", "RVTY"],
  ["RE", "EG"],
  // 2024
  ["CDAY", "DAY"],
  ["FLT", "CPAY"],
  ["GPS", "GAP"],
  ["PEAK", "DOC"],
  // 2025
  ["SQ", "XYZ"],
]);
