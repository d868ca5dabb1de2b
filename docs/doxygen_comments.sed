# Makes of the headers' plain comments what Doxygen reads; `///` above a declaration it reads anyway.

# The comment at the head, until the first line that is none, is that of the file.
1s,^//,/// \\file\n///,
2,/^[^/]/s,^//( |$),///\1,

# Behind a member or an enumerator it is the member's.
s,^( +[^ /].*[;\,0-9a-z] +)// (.*),\1///< \2,
