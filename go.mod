module github.com/shoeproof/shoeproof

go 1.26
