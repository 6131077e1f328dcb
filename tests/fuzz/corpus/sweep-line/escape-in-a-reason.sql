UPDATE failures SET why = char(27) || ']0;x' || char(7)
