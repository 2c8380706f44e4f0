# Market data of a bourse service as data frames. Needs the packages curl and jsonlite.
#
#   source("http://127.0.0.1:8787/clients/bourse.R")
#   bourse_connect("http://127.0.0.1:8787", Sys.getenv("BOURSE_TOKEN"))
#   bars <- bourse_history("7203.T", range = "1y", adjust = "total")
#
# Without bourse_connect, the address and the token come from BOURSE_URL and BOURSE_TOKEN. Symbols may be in any usual
# notation: AAPL, BRK-B, 7203.T, JP:7203, VN:FPT, ^GSPC. All arguments of the REST interface can follow. With
# known_on = "2023-03-31", a call has only what was known then.

.bourse <- new.env()

# Sets the address and the token. If the quota is used up, a call waits once, at most max_wait seconds. With known_on,
# every call that has none of its own answers as on that day.
bourse_connect <- function(url = Sys.getenv("BOURSE_URL", "http://127.0.0.1:8787"),
                           token = Sys.getenv("BOURSE_TOKEN"), max_wait = 3600, known_on = NULL) {
  assign("url", sub("/+$", "", url), .bourse)
  assign("token", token, .bourse)
  assign("max_wait", max_wait, .bourse)
  assign("known_on", known_on, .bourse)
}

# The rows of any call below /data as a data frame: bourse_table("stocks/compare", symbols = "AAPL,7203.T").
# An error of the service is a condition of class bourse_error with status and code.
bourse_table <- function(path, ..., .sleep = Sys.sleep) {
  if (is.null(.bourse$url)) bourse_connect()
  given <- list(...)
  if (is.null(given$known_on)) given$known_on <- .bourse$known_on
  arguments <- Filter(Negate(is.null), c(given, format = "csv"))
  texts <- vapply(arguments, .bourse_text, "")
  query <- paste0(names(texts), "=", curl::curl_escape(texts), collapse = "&")
  address <- paste0(.bourse$url, "/api/v1/svc/data/", path, "?", query)
  answer <- .bourse_send(address)
  if (answer$status_code == 429) {
    wait <- suppressWarnings(as.numeric(curl::parse_headers_list(answer$headers)[["retry-after"]]))
    if (length(wait) == 1 && !is.na(wait) && wait <= .bourse$max_wait) {
      message("The quota is used up. Waiting ", wait, " s.")
      .sleep(wait)
      answer <- .bourse_send(address)
    }
  }
  text <- rawToChar(answer$content)
  Encoding(text) <- "UTF-8"
  if (answer$status_code != 200) stop(.bourse_error(answer$status_code, text))
  if (!grepl("^text/csv", answer$type)) stop(.bourse_error(0, paste(.bourse$url, "is no bourse service. Check BOURSE_URL.")))
  header <- strsplit(sub("\r?\n.*", "", text), ",")[[1]]
  # Only an empty cell is missing: NA and TRUE can be symbols.
  texts <- intersect(header, c("symbol", "code", "name", "country", "currency", "period"))
  frame <- utils::read.csv(text = text, check.names = FALSE, encoding = "UTF-8", na.strings = "",
                           colClasses = setNames(rep("character", length(texts)), texts))
  if ("date" %in% header) frame$date <- as.Date(frame$date)
  frame
}

.bourse_text <- function(value) {
  if (is.logical(value)) return(tolower(as.character(value)))
  texts <- if (is.numeric(value)) vapply(value, .bourse_number, "") else as.character(value)
  if (!is.null(names(value))) texts <- paste0(names(value), "=", texts)
  paste(texts, collapse = ",")
}

# With all digits, without an exponent, and with a full stop also where the option OutDec is a comma.
.bourse_number <- function(number) format(number, scientific = FALSE, digits = 15, decimal.mark = ".")

.bourse_send <- function(address) {
  # A redirect could take the token to another host.
  handle <- curl::new_handle(followlocation = FALSE)
  if (nzchar(.bourse$token)) curl::handle_setheaders(handle, Authorization = paste("Bearer", .bourse$token))
  tryCatch(curl::curl_fetch_memory(address, handle), error = function(cause) {
    stop(.bourse_error(0, paste0(.bourse$url, " does not answer. Check BOURSE_URL. ", conditionMessage(cause))))
  })
}

# The condition with the sentence of the service.
.bourse_error <- function(status, text) {
  error <- tryCatch(jsonlite::parse_json(text)$error, error = function(cause) NULL)
  hint <- if (identical(error$code, "MISSING_AUTH")) "Set BOURSE_TOKEN, or call bourse_connect(url, token)." else error$hint
  message <- paste(c(error$message, hint), collapse = " ")
  if (is.null(error)) message <- if (status == 0) text else paste0(.bourse$url, " answered ", status, ". Check BOURSE_URL.")
  structure(class = c("bourse_error", "error", "condition"),
            list(message = message, call = NULL, status = status, code = error$code))
}

# Calls stocks/SYMBOL/tail in the country of the symbol: that of the notation, else the one that the service names.
.bourse_stock <- function(symbol, tail, ...) {
  symbol <- toupper(symbol)
  parts <- regmatches(symbol, regexec("^(US|JP|VN):(.+)$", symbol))[[1]]
  key <- if (length(parts) == 3) parts[2:3] else {
    found <- bourse_table("stocks/compare", symbols = symbol, metrics = "price")
    if (nrow(found) != 1) stop(.bourse_error(0, paste0(symbol, " must be one symbol: a comma separates symbols.")))
    c(found$country, found$symbol)
  }
  bourse_table(paste0("stocks/", curl::curl_escape(key[2]), "/", tail), country = key[1], ...)
}

# Bars by date, oldest first: range = "5y", or from and to; adjust = "total"; currency = "USD"; interval = "1mo".
bourse_history <- function(symbol, ...) {
  defaults <- list(fields = "ohlcv", limit = 100000)
  do.call(.bourse_stock, utils::modifyList(c(list(symbol, "history"), defaults), list(...)))
}

# Companies by figures: bourse_screen("JP", where = "pe<12,roe>10", sort = "-market_cap", limit = 50).
bourse_screen <- function(country, ...) bourse_table("stocks/screen", country = country, ...)

# Figures side by side: bourse_compare(c("AAPL", "7203.T"), metrics = "pe,roe").
bourse_compare <- function(symbols, ...) bourse_table("stocks/compare", symbols = symbols, ...)

# Return and risk: bourse_statistics(c("AAPL", "^GSPC"), range = "5y").
bourse_statistics <- function(symbols, ...) bourse_table("prices/statistics", symbols = symbols, ...)

# Figures of fiscal periods, newest first: bourse_statements("FPT", "balance", period = "quarterly").
bourse_statements <- function(symbol, type = "income", ...) .bourse_stock(symbol, "statements", type = type, ...)

# Value, return and risk: bourse_portfolio(c("US:AAPL" = 10, "JP:7203" = 300), currency = "USD").
bourse_portfolio <- function(holdings, ...) bourse_table("portfolio", holdings = holdings, ...)

# The newest figures of one economy or several, or the history of a series: bourse_macro(c("US", "JP"), "CPI").
bourse_macro <- function(country, series = NULL, ...) {
  path <- if (is.null(series)) "macro/indicators" else "macro/history"
  bourse_table(path, countries = country, series = series, ...)
}
